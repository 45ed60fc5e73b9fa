/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant's connections: finds an entry, takes a free one, or finds that none is left. */
#ifndef TSW_BPF_GATEWAY_FAIR_CONN_H
#define TSW_BPF_GATEWAY_FAIR_CONN_H

#include "gateway/fair.h"

#define FTP_PORT 21
#define TFTP_PORT 69
#define SIP_PORT 5060
#define HELPER_BUCKETS 32 /* for connections that one helper reads */
#define CONN_PRINT(hash) ((hash)&0xffffffff00000000ULL)
#define CONN_UNTIL(entry) ((entry)&TSW_CONN_UNTIL)

/* The place of a connection. */
struct conn_place {
	__u64 *at; /* its entry, or a free one; NULL: neither */
	__u64 was; /* what is there */
	bool known;
};

/* The slice of time in which a connection began that is half open until then. */
static __always_inline __u32 half_open_slice(__u64 entry)
{
	return (CONN_UNTIL(entry) - half_open_ticks()) >> TSW_FAIR_SLICE;
}

static __always_inline __u32 half_open_count(const struct tsw_fair *fair, __u32 now)
{
	const __u32 most = TSW_FAIR_AGE(half_open_ticks());
	__u32 n = 0;

	for (__u32 i = 0; i < TSW_FAIR_SLICES; i++)
		if ((now >> TSW_FAIR_SLICE) - fair->slice[i] < most)
			n += fair->begun[i];
	return n;
}

static __always_inline bool half_open_take(struct tsw_fair *fair, __u32 now)
{
	const __u32 slice = now >> TSW_FAIR_SLICE, i = slice % TSW_FAIR_SLICES;
	const __u32 most = fair->half_open ? fair->half_open : TSW_FAIR_HALF_OPEN;

	if (fair->slice[i] != slice) {
		fair->begun[i] = 0;
		fair->slice[i] = slice;
	}
	if (most != TSW_FAIR_NONE && half_open_count(fair, now) >= most)
		return false;
	__sync_fetch_and_add(&fair->begun[i], 1);
	return true;
}

/* A connection was answered or refused. Counted once, by the program that changes the entry. */
static __always_inline void half_open_end(struct tsw_fair *fair, __u64 entry)
{
	const __u32 slice = half_open_slice(entry), i = slice % TSW_FAIR_SLICES;

	if (fair->slice[i] == slice && fair->begun[i])
		__sync_fetch_and_add(&fair->begun[i], -1);
}

/* The number of buckets. Connections to one destination may choose among a part of them. */
static __always_inline __u32 conn_most(const struct tsw_fair *fair)
{
	const __u32 most = fair->connections ? fair->connections : TSW_FAIR_CONNECTIONS;

	return most == TSW_FAIR_NONE ? FAIR_BUCKETS * TSW_CONN_ENTRIES : most;
}

/* The number of the first or second bucket. */
static __always_inline __u32 conn_bucket(const struct conn *c, __u32 buckets, bool second)
{
	const __u32 part = second ? c->hash >> 16 & 0xffff : c->hash & 0xffff;

	if (!c->shared || buckets <= c->shared)
		return hash_mix(c->hash, second) % buckets;
	/* Mixed twice. After one step two destinations may have half of their buckets in common. */
	return hash_mix(hash_mix(c->to, part % c->shared), 0) % buckets;
}

/* A question about a bucket. */
struct conn_look {
	struct tsw_conn_key key;
	__u32 entries; /* that the bucket has */
	__u32 now;
	__u32 print;
};

/* The answer: the number of taken entries, and the connection's entry or a free one. */
#define LOOK_TAKEN 0xf
#define LOOK_ENTRY(look) ((look) >> 4 & (TSW_CONN_ENTRIES - 1))
#define LOOK_FREE (1 << 7)
#define LOOK_KNOWN (1 << 8)
#define LOOK_NONE (1 << 9) /* no such bucket */

/* Global: the verifier goes through it once. */
__noinline int tsw_conn_look(const struct conn_look *q)
{
	struct tsw_conn_bucket *bucket;
	struct tsw_conn_key key;
	__u32 look = 0, taken = 0;

	if (!q)
		return LOOK_NONE;
	key = q->key; /* Linux 6.1 takes no global function's argument as a key */
	bucket = bpf_map_lookup_elem(&tsw_conns, &key);
	if (!bucket)
		return LOOK_NONE;
	for (__u32 i = 0; i < TSW_CONN_ENTRIES; i++) {
		const __u64 was = bucket->entry[i];

		if (CONN_UNTIL(was) <= q->now) {
			if (!look && i < q->entries)
				look = LOOK_FREE | i << 4;
			continue;
		}
		if (was >> 32 == q->print)
			return LOOK_KNOWN | i << 4;
		taken++;
	}
	return look | taken;
}

/*
 * A bucket that does not exist yet is empty. A bucket without a free entry is full, even with few
 * entries.
 */
static __always_inline __u32 look_taken(int look)
{
	if (look == LOOK_NONE)
		return 0;
	return look & LOOK_FREE ? look & LOOK_TAKEN : LOOK_TAKEN;
}

static __noinline void bucket_make(const struct tsw_conn_key *key)
{
	static const struct tsw_conn_bucket empty; /* the stack is short */
	struct tsw_conn_key own = *key;		   /* see above */

	bpf_map_update_elem(&tsw_conns, &own, &empty, BPF_NOEXIST);
}

/*
 * Finds the connection's place. A new one gets an entry of the emptier bucket. make: it may be new.
 * Global, too.
 */
__noinline int tsw_conn_find(const struct conn *c, struct tsw_conn_key *key, __u32 most, __u32 make)
{
	const __u32 buckets = (most + TSW_CONN_ENTRIES - 1) / TSW_CONN_ENTRIES;
	const __u32 lacks = buckets * TSW_CONN_ENTRIES - most;
	struct conn_look q = {};
	__u32 first, number;
	int one, two;
	bool take_two;

	if (!c || !key || !buckets)
		return LOOK_NONE;
	q.key = *key;
	q.now = c->now;
	q.print = c->hash >> 32;
	first = q.key.bucket = conn_bucket(c, buckets, false);
	q.entries = TSW_CONN_ENTRIES - lacks / buckets - (q.key.bucket < lacks % buckets);
	one = tsw_conn_look(&q);
	number = q.key.bucket = conn_bucket(c, buckets, true);
	q.entries = TSW_CONN_ENTRIES - lacks / buckets - (q.key.bucket < lacks % buckets);
	two = one & LOOK_KNOWN ? LOOK_NONE : tsw_conn_look(&q);
	take_two = two & LOOK_KNOWN || (!(one & LOOK_KNOWN) && look_taken(two) < look_taken(one));
	key->bucket = take_two ? number : first;
	if (take_two)
		one = two;
	if (one != LOOK_NONE || !make)
		return one;
	bucket_make(key);
	return LOOK_FREE;
}

/* The limits and use of its tenant. NULL: c is NULL, or the tenant is unknown. */
static __always_inline struct tsw_fair *conn_fair(const struct conn *c)
{
	__u32 tenant;

	if (!c)
		return NULL;
	tenant = c->tenant; /* see above */
	return bpf_map_lookup_elem(&tsw_fair, &tenant);
}

static __always_inline void conn_find(const struct conn *c, const struct tsw_fair *fair, bool make,
				      struct conn_place *p)
{
	struct tsw_conn_key key = {.tenant = c->tenant, .table = fair->table};
	int look = tsw_conn_find(c, &key, conn_most(fair), make);
	struct tsw_conn_bucket *bucket;

	*p = (struct conn_place){};
	if (!(look & (LOOK_KNOWN | LOOK_FREE)))
		return;
	bucket = bpf_map_lookup_elem(&tsw_conns, &key);
	if (!bucket)
		return;
	p->at = &bucket->entry[LOOK_ENTRY(look)];
	p->was = *p->at;
	p->known = look & LOOK_KNOWN;
}

/*
 * The number of buckets for one tenant's connections to one destination. They get a quarter of the
 * ports by which tenants leave an address.
 */
static __always_inline __u32 port_buckets(void)
{
	const struct tsw_config *cfg = config_get();
	__u32 ports = TSW_NAT_PORT_HIGH - TSW_NAT_PORT_LOW + 1;

	if (cfg && cfg->nat_low)
		ports = cfg->nat_high - cfg->nat_low + 1;
	return ports / 4 / TSW_CONN_ENTRIES ?: 1;
}

/* Does a helper of the tenant read it? */
static __always_inline bool conn_is_read(const struct conn *c, const struct tsw_gateway *gw)
{
	__u32 by = 0;

	if (c->proto == IPPROTO_TCP && c->ports[1] == bpf_htons(FTP_PORT))
		by = TSW_GATEWAY_HELPER(TSW_HELPER_FTP);
	else if (c->proto == IPPROTO_UDP && c->ports[1] == bpf_htons(TFTP_PORT))
		by = TSW_GATEWAY_HELPER(TSW_HELPER_TFTP);
	else if (c->proto == IPPROTO_UDP && c->ports[1] == bpf_htons(SIP_PORT))
		by = TSW_GATEWAY_HELPER(TSW_HELPER_SIP);
	return gw->flags & by;
}

/*
 * If it leaves by ports that other tenants use, too, its connections to far get their part of them.
 * Those that a helper reads have a part of their own, wherever they lead, because conntrack has one
 * table of expectations (nf_conntrack_expect_max). A peering's connections keep their ports and
 * have the host's timeouts.
 */
static __always_inline void conn_share(struct conn *c, const struct tsw_gateway *gw, bool v6,
				       const struct tsw_addr *far, __u32 peer)
{
	const bool read = !peer && conn_is_read(c, gw);

	c->words = peer ? 0 : c->tenant;
	c->sip = read && c->ports[1] == bpf_htons(SIP_PORT);
	c->shared = !peer && gateway_shares_ports(gw, v6) ? port_buckets() : 0;
	if (read) {
		c->shared = HELPER_BUCKETS;
		c->to = hash_mix(c->tenant, c->ports[1]);
	} else if (c->shared) {
		c->to = conn_hash(c, far, NULL);
	}
}

#endif
