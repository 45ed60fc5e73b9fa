/* SPDX-License-Identifier: GPL-2.0-only */
/* Broadcast and multicast: a copy to each member of the tenant's group. */
#ifndef TSW_BPF_FLOOD_H
#define TSW_BPF_FLOOD_H

#include <tsw/bpf/deliver.h>
#include <tsw/bpf/finish.h>
#include <tsw/bpf/gateway_home.h>
#include <tsw/bpf/hash.h>
#include <tsw/bpf/move.h>
#include <tsw/bpf/tunnel.h>

TSW_HASH(tsw_groups, struct tsw_group_key, struct tsw_group);

#define FLOOD_MAX 65536	      /* members of one ring visited; a bound for bpf_loop, not a size */
#define FLOOD_NOT 0x40000000U /* a host that gets no copy */

struct flood {
	struct __sk_buff *skb;
	struct tsw_config *cfg;
	const struct frame *frame;
	struct frame_id *id;
	struct outer outer; /* of the copies to hosts */
	__u32 tenant;
	__u32 member;		 /* where in the ring, or behind that of hosts */
	__u32 skip;		 /* the port that the frame came from; 0: none */
	__u32 room;		 /* made for outer headers already */
	bool fast[TSW_FAMILIES]; /* hosts of this family whose headers are written here */
	bool limited;		 /* some port has had too much */
	int lost;		 /* drop reason of a copy that could not be sent; 0: none */
};

static __always_inline __u32 group_next(__u32 tenant, __u32 member)
{
	struct tsw_group_key key = {.tenant = tenant, .member = member};
	struct tsw_group *group = bpf_map_lookup_elem(&tsw_groups, &key);

	/* A member that has just been taken out ends the walk: back to the head. */
	return group ? group->next : member & TSW_MEMBER_HOST;
}

/* Copies that ports do not get are counted each, and told of once: there is no stack for more. */
static __noinline void flood_limited(struct flood *c)
{
	const struct frame_id id = {
		.tenant = c->tenant, .direction = TSW_DIR_TO_ENDPOINT, .size = c->id->size};

	count_drop(&id, TSW_DROP_RATE_LIMITED);
	c->limited = true;
}

static __always_inline void flood_tell_limited(const struct flood *c)
{
	const enum tsw_direction from = c->id->direction;

	if (!c->limited)
		return;
	c->id->direction = TSW_DIR_TO_ENDPOINT;
	watch_dropped(c->skb, c->id, TSW_DROP_RATE_LIMITED);
	c->id->direction = from;
}

static long flood_port(__u32 i, struct flood *c)
{
	struct tsw_port *port;

	c->member = group_next(c->tenant, c->member);
	if (c->member == TSW_MEMBER_PORTS)
		return 1;
	if (c->member == c->skip)
		return 0;
	port = port_get(c->member);
	if (port_check(port, c->tenant, c->member) || !move_has(port, c->member))
		return 0;
	if (limit(port, TSW_RATE_IN, c->id->size.bytes) != NEXT) {
		flood_limited(c);
		return 0;
	}
	stamp_set(c->skb, c->cfg, c->tenant, c->member);
	if (bpf_clone_redirect(c->skb, c->member, 0))
		return 0;
	watch_copy(c->skb, c->id, c->member);
	if (c->skip)
		count_local(c->tenant, &c->id->size);
	return 0;
}

/* To this host's ports of the tenant, but the one where it came from. */
static __noinline void flood_ports(struct flood *c)
{
	c->skb->mark = 0;
	c->member = TSW_MEMBER_PORTS;
	bpf_loop(FLOOD_MAX, flood_port, c, 0);
	flood_tell_limited(c);
}

/* Of two hosts behind HOST the nearer one; 0 is none. */
static __always_inline __u32 flood_nearer(__u32 id, __u32 host, __u32 next)
{
	return id > host && (!next || id < next) ? id : next;
}

/* Behind HOST, 0 for the first: who may send in the gateway's name, and others; 0: no more. */
static __always_inline __u32 flood_server(const struct tsw_gateway *gw, __u32 host)
{
	__u32 next;

	if (gw->flags & (TSW_GATEWAY_ALL | TSW_GATEWAY_WAS_ALL))
		return host < TSW_MAX_HOSTS ? host + 1 : 0;
	next = flood_nearer(gw->host, host, 0);
	next = flood_nearer(gw->old, host, next);
	for (__u32 i = 0; i < TSW_GATEWAY_RANKS; i++)
		next = flood_nearer(gw->rank[i], host, next);
	return next;
}

/*
 * On to the next host of the ring, whose head is the end. What announces an endpoint that moves
 * then goes to those as well who only serve the tenant's gateway, for they send to it: their bare
 * indices. Global, for that is verified once and not in each walk.
 */
__noinline __u32 tsw_flood_next(__u32 tenant, __u32 member, int announces)
{
	struct tsw_group_key key = {.tenant = tenant};
	struct tsw_gateway *gw;
	__u32 id = member & ~FLOOD_NOT;

	if (member & TSW_MEMBER_HOST) {
		member = group_next(tenant, member);
		if (member != TSW_MEMBER_HOSTS || !announces)
			return member;
		id = 0;
	}
	gw = gateway_get(tenant);
	id = gw ? flood_server(gw, id) : 0;
	if (!id)
		return TSW_MEMBER_HOSTS;
	key.member = TSW_MEMBER_HOST | id;
	return !gateway_is_at(gw, id) || bpf_map_lookup_elem(&tsw_groups, &key) ? id | FLOOD_NOT
										: id;
}

/* The next host's index; FLOOD_NOT: it gets no copy. 0: there are no more. */
static __always_inline __u32 flood_next_host(struct flood *c)
{
	c->member = tsw_flood_next(c->tenant, c->member, c->frame->announces);
	return c->member & ~TSW_MEMBER_HOST;
}

/* The next copy goes to that host; false: it is only half there. Not inlined, for the stack. */
static __noinline bool flood_aim(struct flood *c, __u32 id)
{
	return tunnel_outer(&c->outer, c->cfg, id);
}

/* Does the way to where the next copy goes have room for the frame? */
static __always_inline bool flood_fits(const struct flood *c)
{
	return c->frame->l3_len <= tunnel_mtu(&c->outer, hop_of(&c->outer)->mtu);
}

/* By the kernel's device, which resolves neighbours. */
static __always_inline void flood_slow(struct flood *c)
{
	__u32 device = tunnel_device(c->cfg, &c->outer);

	if (!tunnel_is_caught(c->skb, c->cfg, &c->outer)) {
		c->lost = drop(TSW_DROP_NOT_ENCRYPTED);
		return;
	}
	if (tunnel_set_key(c->skb, &c->outer) || bpf_clone_redirect(c->skb, device, 0)) {
		c->lost = drop(TSW_DROP_NO_SLOW_PATH);
		return;
	}
	watch_copy(c->skb, c->id, device);
	count_tx(c->outer.from, c->outer.to, &c->id->size, true);
}

/* First all hosts to which the kernel's devices send; the others are taken note of. */
static long flood_host_slow(__u32 i, struct flood *c)
{
	__u32 id = flood_next_host(c);
	int unresolved, verdict;

	if (!id)
		return 1;
	if (!flood_aim(c, id))
		return 0;
	verdict = hop_get(c->skb, c->cfg, &c->outer, hop_of(&c->outer));
	if (verdict == NEXT && !flood_fits(c))
		verdict = drop(TSW_DROP_TOO_BIG);
	if (verdict != NEXT) {
		c->lost = verdict;
		return 0;
	}
	if (tunnel_is_own(c->cfg, &c->outer)) {
		flood_slow(c);
		return 0;
	}
	unresolved = hop_probe(c->skb, c->cfg, &c->outer);
	if (unresolved > 0 && tunnel_device(c->cfg, &c->outer))
		flood_slow(c);
	else if (unresolved)
		c->lost = drop(TSW_DROP_NO_ROUTE);
	else
		c->fast[c->outer.family & 1] = true;
	return 0;
}

/* Then, with room made, the rest of one family: each one's headers written, a copy sent. */
static long flood_host_fast(__u32 i, struct flood *c)
{
	/* Of these there is room; a command may change the tenant's meanwhile. */
	const __u8 family = c->outer.family, encap = c->outer.encap;
	__u32 id = flood_next_host(c);
	struct bpf_fib_lookup fib;

	if (!id)
		return 1;
	if (flood_aim(c, id) && c->outer.family == family && c->outer.encap == encap &&
	    flood_fits(c) && !tunnel_is_own(c->cfg, &c->outer) &&
	    !hop_route(c->skb, c->cfg, &c->outer, &fib)) {
		hop_set_macs(&c->outer, &fib);
		if (encap_write(c->skb, c->frame, &c->outer) == NEXT &&
		    !bpf_clone_redirect(c->skb, fib.ifindex, 0)) {
			watch_copy(c->skb, c->id, fib.ifindex);
			count_tx(c->outer.from, c->outer.to, &c->id->size, false);
		}
	}
	c->outer.family = family;
	c->outer.encap = encap;
	return 0;
}

static __always_inline void flood_family(struct flood *c, __u8 family)
{
	__u32 overhead;
	int err;

	c->outer.family = family;
	c->outer.bare = crypt_may_be_bare(c->cfg);
	overhead = outer_overhead(&c->outer);
	if (!c->room)
		err = encap_make_room(c->skb, c->frame, &c->outer);
	else /* a super-frame would be segmented as the other family's, see tsw_as_ip(), too */
		err = c->skb->gso_size || c->outer.bare ||
		      bpf_skb_change_head(c->skb, overhead - c->room, 0);
	if (err) {
		c->lost = drop(TSW_DROP_NO_SLOW_PATH);
		return;
	}
	c->room = overhead;
	c->member = TSW_MEMBER_HOSTS;
	bpf_loop(FLOOD_MAX, flood_host_fast, c, 0);
}

/* What the tenant has sent into tunnels, octets, on this CPU: so nobody else adds to it now. */
static __noinline __u64 flood_sent(__u32 tenant)
{
	struct tsw_tenant_stats *stats = stats_get(tenant);

	return stats ? stats->count.tunnel_tx.bytes : 0;
}

/*
 * The frame itself has been charged to its sender. Each copy but the first is one more that the
 * underlay carries: else a tenant on many hosts has as many times its rate.
 */
static __noinline int flood_charge(const struct flood *c, __u64 copies)
{
	struct tsw_port *port = port_get(c->skip);

	return port && copies > c->id->size.bytes ? tsw_charge(port, copies - c->id->size.bytes)
						  : 0;
}

/* To the tenant's other hosts. */
static __always_inline int flood_hosts(struct flood *c)
{
	const __u64 before = flood_sent(c->tenant);

	pass_give(c->skb, c->cfg, PASS_DOWN);
	c->member = TSW_MEMBER_HOSTS;
	c->outer = (struct outer){
		.tenant = c->tenant, .tos = c->frame->tos, .hash = flow_hash(c->skb, c->frame)};
	bpf_loop(FLOOD_MAX, flood_host_slow, c, 0);
	if (c->fast[TSW_IPV4])
		flood_family(c, TSW_IPV4);
	if (c->fast[TSW_IPV6])
		flood_family(c, TSW_IPV6);
	flood_charge(c, flood_sent(c->tenant) - before);
	return c->lost ?: CONSUMED;
}

#endif
