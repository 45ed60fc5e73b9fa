/* SPDX-License-Identifier: GPL-2.0-only */
/* Broadcast and multicast from a port: a copy to each other host of the tenant. */
#ifndef TSW_BPF_PORT_FLOOD_HOSTS_H
#define TSW_BPF_PORT_FLOOD_HOSTS_H

#include "port/flood.h"
#include "gateway/home.h"
#include "core/hash.h"
#include "tunnel/send.h"

#define FLOOD_NOT 0x40000000U /* this host gets no copy */

/*
 * The result of the first walk: families that are left to do, and the reason why some copy was
 * lost.
 */
#define FLOOD_FAST(family) (0x10000 << (family))
#define FLOOD_LOST 0xffff

/* The smaller of two indices that are greater than host; 0: none is. */
static __always_inline __u32 flood_nearer(__u32 id, __u32 host, __u32 next)
{
	return id > host && (!next || id < next) ? id : next;
}

/*
 * The next host after host (0: the first) that may send in the gateway's name. It may also return
 * others. 0: no more.
 */
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
 * The next host of the ring, whose head is the end. The announcement of a moving endpoint then also
 * goes to hosts that only serve the tenant's gateway, because they send to the endpoint. These are
 * bare indices. Global, so that the verifier does not go through it for each walk.
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

/* The next host's index. FLOOD_NOT: it gets no copy; 0: no more. */
static __always_inline __u32 flood_next_host(struct flood *c)
{
	c->member = tsw_flood_next(c->id->tenant, c->member, c->frame->announces);
	return c->member & ~TSW_MEMBER_HOST;
}

/* Prepares the copy to that host. False: it is half-made. Not inlined, to save stack. */
static __noinline bool flood_aim(struct flood *c, __u32 id)
{
	return tunnel_outer(&c->outer, c->cfg, id);
}

/* Does the frame fit the way to the copy's host? */
static __always_inline bool flood_fits(const struct flood *c)
{
	return c->frame->l3_len <= tunnel_mtu(&c->outer, hop_of(&c->outer)->mtu);
}

/* Sends a copy by the kernel's tunnel device, which resolves neighbours. */
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

/*
 * The first walk: copies to all hosts that the kernel's devices send to. The other hosts are noted.
 */
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
		c->fast |= FLOOD_FAST(c->outer.family & 1);
	return 0;
}

/* The device for the next copy to that host, whose MAC is known. 0: this walk sends none. */
static __noinline __u32 flood_route(struct flood *c, __u32 id)
{
	/* There is room for these headers. A command may change the tenant meanwhile. */
	const __u8 family = c->outer.family, encap = c->outer.encap;
	struct bpf_fib_lookup fib = {};

	if (flood_aim(c, id) && c->outer.family == family && c->outer.encap == encap &&
	    flood_fits(c) && !tunnel_is_own(c->cfg, &c->outer) &&
	    !hop_route(c->skb, c->cfg, &c->outer, &fib))
		hop_set_macs(&c->outer, &fib);
	else
		fib.ifindex = 0;
	c->outer.family = family;
	c->outer.encap = encap;
	return fib.ifindex;
}

/*
 * The second walk: room for one family's headers is made. Each host's headers are written and a
 * copy is sent.
 */
static long flood_host_fast(__u32 i, struct flood *c)
{
	__u32 id = flood_next_host(c), device;

	if (!id)
		return 1;
	device = flood_route(c, id);
	if (!device || encap_write(c->skb, c->frame, &c->outer) != NEXT ||
	    bpf_clone_redirect(c->skb, device, 0))
		return 0;
	watch_copy(c->skb, c->id, device);
	count_tx(c->outer.from, c->outer.to, &c->id->size, false);
	return 0;
}

/*
 * Octets that the tenant has sent into tunnels on this CPU. Only this program can add to them now.
 */
static __noinline __u64 flood_sent(__u32 tenant)
{
	struct tsw_tenant_stats *stats = stats_get(tenant);

	return stats ? stats->count.tunnel_tx.bytes : 0;
}

/*
 * The sender has paid for the frame itself. Each copy after the first is one more on the underlay.
 * Otherwise a tenant on many hosts has many times its rate.
 */
static __always_inline void flood_charge(__u32 ifindex, const struct frame_id *id, __u64 copies)
{
	struct tsw_port *port = port_get(ifindex);

	if (port && copies > id->size.bytes)
		tsw_charge(port, copies - id->size.bytes);
}

/*
 * Begins a walk from host to host. False: the tenant is unknown. A function of its own, to save
 * stack.
 */
static __noinline bool flood_begin(struct flood *c)
{
	struct tsw_tenant_stats *of;

	if (!c->cfg || !c->id || !c->frame)
		return false;
	of = tenant_cached(c->id->tenant, c->cfg);
	if (!of)
		return false;
	c->member = TSW_MEMBER_HOSTS;
	c->outer.tenant = c->id->tenant; /* one assignment would take twice the stack */
	c->outer.encap = of->tenant.encap & 3;
	c->outer.tos = c->frame->tos;
	c->outer.hash = flow_hash(c->skb, c->frame);
	return true;
}

/* Does the first walk. Returns FLOOD_FAST() of the families that are left, and FLOOD_LOST. */
__noinline int tsw_flood_slow(struct __sk_buff *skb, struct frame_id *id, const struct frame *f)
{
	struct flood c = {.skb = skb, .cfg = config_get(), .frame = f, .id = id};

	if (!flood_begin(&c))
		return TSW_DROP_INTERNAL;
	pass_give(skb, c.cfg, PASS_DOWN);
	bpf_loop(FLOOD_MAX, flood_host_slow, &c, 0);
	return c.fast | -c.lost;
}

/*
 * Does the second walk, for one family. room: octets of room for outer headers that exist already.
 * Returns the new room, or a drop reason.
 */
__noinline int tsw_flood_fast(struct __sk_buff *skb, struct frame_id *id, const struct frame *f,
			      __u32 family, __u32 room)
{
	struct flood c = {.skb = skb, .cfg = config_get(), .frame = f, .id = id};
	int err;

	if (!flood_begin(&c))
		return drop(TSW_DROP_INTERNAL);
	c.outer.family = family & 1;
	c.outer.bare = crypt_may_be_bare(c.cfg);
	if (!room)
		err = encap_make_room(skb, f, &c.outer);
	else /* a super-frame would be segmented as the other family's, see tsw_as_ip() */
		err = skb->gso_size || c.outer.bare ||
		      bpf_skb_change_head(skb, outer_overhead(&c.outer) - room, 0);
	if (err)
		return drop(TSW_DROP_NO_SLOW_PATH);
	bpf_loop(FLOOD_MAX, flood_host_fast, &c, 0);
	return outer_overhead(&c.outer);
}

/* Sends a copy to each of the tenant's other hosts. */
static __always_inline int flood_hosts(struct __sk_buff *skb, struct frame_id *id,
				       const struct frame *f)
{
	const __u64 before = flood_sent(id->tenant);
	int left = tsw_flood_slow(skb, id, f), lost = -(left & FLOOD_LOST), room = 0;

	for (int family = 0; family < TSW_FAMILIES; family++) {
		int made = left & FLOOD_FAST(family) ? tsw_flood_fast(skb, id, f, family, room) : 0;

		if (made < 0)
			lost = made;
		else if (made)
			room = made;
	}
	flood_charge(skb->ifindex, id, flood_sent(id->tenant) - before);
	return lost ?: CONSUMED;
}

/* Sends a port's frame to all of the tenant's LAN but its sender. */
static __noinline int flood_from_port(struct __sk_buff *skb, struct frame_id *id, struct frame *f)
{
	struct tsw_tenant *tenant = tenant_get(id->tenant);

	if (!flood_may(skb, tenant, id, f))
		return drop(TSW_DROP_BROADCAST_OFF);
	if (tenant->flags & TSW_TENANT_BROADCAST || f->announces & FRAME_TAKES)
		flood_ports(skb, id, f, skb->ifindex);
	if (!f->announces && group_next(id->tenant, TSW_MEMBER_HOSTS) == TSW_MEMBER_HOSTS)
		return CONSUMED;
	return flood_hosts(skb, id, f);
}

#endif
