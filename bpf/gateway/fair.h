/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shares of what a gateway's host has only once for all tenants: entries in conntrack's table,
 * ports of an address, entries in the table of neighbours, ICMP errors.
 *
 * Conntrack does not report when a connection ends. So each connection has an entry in its tenant's
 * table, with the time until which conntrack keeps it. After that time the entry is free.
 */
#ifndef TSW_BPF_GATEWAY_FAIR_H
#define TSW_BPF_GATEWAY_FAIR_H

#include "core/config.h"
#include "core/drop.h"
#include "gateway/maps.h"
#include "core/hash.h"
#include "core/hash_keyed.h"

TSW_HASH(tsw_fair, __u32, struct tsw_fair);

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct tsw_conn_key);
	__type(value, struct tsw_conn_bucket);
} tsw_conns TSW_MAP;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tsw_fair_seen);
} tsw_fair_seen TSW_MAP;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tsw_timeouts);
} tsw_timeouts TSW_MAP;

#define FAIR_YOUNG 1 /* ticks: a UDP connection that lasts longer may be a stream */

#define GRE_VERSION_BITS 7 /* bits of its first word */

#define FAIR_BUCKETS 16384 /* the number of buckets if there is no limit */

#define FAIR_NEIGHBOURS 16 /* a second */
#define FAIR_NEIGHBOURS_BURST 64
#define FAIR_ERRORS 50
#define FAIR_ERRORS_BURST 50
#define SECOND 1000000000ULL /* ns */

/* A connection as its tenant sends it. */
struct conn {
	__u32 tenant;
	__u32 words; /* the tenant whose timeouts it has; 0: the host's */
	__u32 now;   /* tick */
	__u32 sip;   /* a helper reads it, and so it lasts longer */
	__u64 to;    /* hash of the destination (address, protocol, port) if its ports are shared */
	__u64 hash;  /* hash of all its values */
	__be16 ports[2]; /* the tenant's, the other end's */
	__u8 proto;
	__u8 flags;   /* of TCP */
	bool begins;  /* conntrack would keep it; not ICMP errors, nor frames without a hop left */
	bool gone;    /* conntrack has no such connection */
	__u32 shared; /* buckets for its ports, if other tenants leave by that address, too; or 0 */
};

static __always_inline __u32 fair_tick(void)
{
	return (bpf_ktime_get_ns() >> TSW_FAIR_TICK) & TSW_CONN_UNTIL;
}

const volatile __u32 tsw_timeout_defaults[TSW_TIMEOUT_ROOM] = {
#define X(NAME, seconds) [TSW_TIMEOUT_##NAME] = (seconds),
	TSW_TIMEOUTS(X)
#undef X
};

/* The number of ticks after which so many ns are certainly over. */
static __always_inline __u32 fair_ticks(__u64 ns)
{
	return (ns >> TSW_FAIR_TICK) + 2;
}

/*
 * The number of ticks for which conntrack keeps an entry in that state, rounded up. of: the tenant
 * whose own timeouts count; 0: none. Global: the verifier goes through it once.
 */
__noinline __u32 tsw_fair_ticks(__u32 of, __u32 state)
{
	const __u32 zero = 0, i = state & (TSW_TIMEOUT_ROOM - 1);
	const struct tsw_timeouts *host = bpf_map_lookup_elem(&tsw_timeouts, &zero);
	const struct tsw_gateway *gw = of && i < TSW_TIMEOUT_OWN ? gateway_get(of) : NULL;
	__u64 seconds = gw ? gw->timeout[i & (TSW_TIMEOUT_OWN - 1)] : 0;

	if (!seconds)
		seconds = host && host->seconds[i] ? host->seconds[i] : tsw_timeout_defaults[i];
	return fair_ticks(seconds * SECOND);
}

static __always_inline __u32 conn_ticks(const struct conn *c, enum tsw_timeout state)
{
	return tsw_fair_ticks(c->words, state);
}

/* No tenant sets these timeouts, which are at most half a minute. */
static __always_inline __u32 half_open_ticks(void)
{
	return tsw_fair_ticks(0, TSW_TIMEOUT_TCP_SYN_SENT);
}

/* The timeout after a FIN of one side, which waits for the other's, or of both sides. */
static __always_inline __u32 conn_closing(const struct conn *c)
{
	const __u32 half = conn_ticks(c, TSW_TIMEOUT_TCP_CLOSE_WAIT);
	const __u32 both = conn_ticks(c, TSW_TIMEOUT_TCP_CLOSING);

	return half > both ? half : both;
}

/* Not inlined, for the stack. */
static __noinline void fair_make(__u32 tenant)
{
	struct tsw_fair fresh = {.table = bpf_get_prandom_u32()};

	bpf_map_update_elem(&tsw_fair, &tenant, &fresh, BPF_NOEXIST);
}

static __always_inline struct tsw_fair *fair_of(__u32 tenant)
{
	struct tsw_fair *fair = bpf_map_lookup_elem(&tsw_fair, &tenant);

	if (fair)
		return fair;
	fair_make(tenant);
	return bpf_map_lookup_elem(&tsw_fair, &tenant);
}

static __always_inline bool conn_has_ports(__u8 proto)
{
	return proto == IPPROTO_TCP || proto == IPPROTO_UDP || proto == IPPROTO_SCTP ||
	       proto == IPPROTO_DCCP || proto == IPPROTO_UDPLITE;
}

/* PPTP's GRE, version 1, has the number of a call (RFC 2637 section 4.1). */
static __always_inline bool conn_call(struct __sk_buff *skb, const struct frame *f, struct conn *c)
{
	__be16 head[4];

	if (bpf_skb_load_bytes(skb, f->l4, head, sizeof(head)))
		return !bpf_skb_load_bytes(skb, f->l4, head, 2 * sizeof(head[0]));
	if ((bpf_ntohs(head[0]) & GRE_VERSION_BITS) == 1)
		c->ports[1] = head[3];
	return true;
}

/* Reads what distinguishes connections in conntrack: ports, or ICMP's identifier, type and code. */
static __always_inline bool conn_ports(struct __sk_buff *skb, const struct frame *f, struct conn *c)
{
	__u8 icmp[6];

	if (conn_has_ports(f->proto))
		return !bpf_skb_load_bytes(skb, f->l4, c->ports, sizeof(c->ports));
	if (f->proto == IPPROTO_GRE)
		return conn_call(skb, f, c);
	if (f->proto != IPPROTO_ICMP && f->proto != IPPROTO_ICMPV6)
		return true;
	if (bpf_skb_load_bytes(skb, f->l4, icmp, sizeof(icmp)))
		return false;
	__builtin_memcpy(&c->ports[0], &icmp[4], sizeof(c->ports[0]));
	__builtin_memcpy(&c->ports[1], &icmp[0], sizeof(c->ports[1]));
	/* RFC 1122 section 3.2.2; RFC 4443 section 4.1, RFC 4620 section 4 */
	if (f->proto == IPPROTO_ICMP)
		c->begins = icmp[0] == 8 || icmp[0] == 13 || icmp[0] == 15 || icmp[0] == 17;
	else
		c->begins = icmp[0] == 128 || icmp[0] == 139;
	return true;
}

/* far: the other end's address; near: the endpoint's, NULL: any of the tenant's. */
static __always_inline __u64 conn_hash(const struct conn *c, const struct tsw_addr *far,
				       const struct tsw_addr *near)
{
	const __u64 ports = (__u64)c->ports[1] << 16 | (near ? c->ports[0] : 0);
	const struct tsw_hash_input in = {
		.word = {TSW_ADDR_HIGH(far), TSW_ADDR_LOW(far), near ? TSW_ADDR_HIGH(near) : 0,
			 near ? TSW_ADDR_LOW(near) : 0, (__u64)c->tenant << 32 | ports,
			 (near ? 1 : 0) << 8 | c->proto}};

	return tsw_hash(&in);
}

/* answer: a frame to the tenant. */
static __always_inline bool conn_of(struct __sk_buff *skb, const struct frame *f,
				    const struct tsw_addr *far, bool answer, struct conn *c)
{
	__be16 port;

	c->now = fair_tick();
	c->proto = f->proto;
	c->begins = true;
	if (!conn_ports(skb, f, c))
		return false;
	if (answer) {
		port = c->ports[0];
		c->ports[0] = c->ports[1];
		c->ports[1] = port;
	}
	c->flags = 0;
	if (f->proto == IPPROTO_TCP &&
	    bpf_skb_load_bytes(skb, f->l4 + TCP_FLAGS_AT, &c->flags, sizeof(c->flags)))
		return false;
	c->hash = conn_hash(c, far, answer ? &f->dst : &f->src);
	return true;
}

/* Was it looked at in this tick? Per CPU. */
static __always_inline __u64 *seen_at(__u64 hash)
{
	__u32 zero = 0;
	struct tsw_fair_seen *seen = bpf_map_lookup_elem(&tsw_fair_seen, &zero);

	return seen ? &seen->at[hash % TSW_FAIR_SEEN] : NULL;
}

static __always_inline __u64 seen_mark(__u64 hash, __u32 now)
{
	return (hash & ~TSW_CONN_UNTIL) | now;
}

static __always_inline bool fair_seen(__u64 hash, __u32 now)
{
	__u64 *at = seen_at(hash);

	return at && *at == seen_mark(hash, now);
}

static __always_inline void fair_see(__u64 hash, __u32 now)
{
	__u64 *at = seen_at(hash);

	if (at)
		*at = seen_mark(hash, now);
}

/* Takes one unit of rate per second, of which burst may gather. */
static __always_inline bool fair_take(__u64 *full_at, __u64 rate, __u64 burst)
{
	const __u64 now = bpf_ktime_get_ns(), old = *full_at;
	const __u64 from = old > now ? old : now;

	if (from - now > (burst - 1) * (SECOND / rate))
		return false;
	__sync_val_compare_and_swap(full_at, old, from + SECOND / rate);
	return true;
}

#endif
