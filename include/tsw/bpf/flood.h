/* SPDX-License-Identifier: GPL-2.0-only */
/* Broadcast and multicast: a copy to each member of the tenant's group. */
#ifndef TSW_BPF_FLOOD_H
#define TSW_BPF_FLOOD_H

#include <tsw/bpf/deliver.h>
#include <tsw/bpf/tunnel.h>

TSW_HASH(tsw_groups, struct tsw_group_key, struct tsw_group);

#define FLOOD_MAX 65536 /* members of one ring visited; a bound for bpf_loop, not a size */

struct flood {
	struct __sk_buff *skb;
	struct tsw_config *cfg;
	const struct frame *frame;
	const struct tsw_counter *size;
	struct outer outer; /* of the copies to hosts */
	__u32 tenant;
	__u32 member; /* where in the ring */
	__u32 skip;   /* the port that the frame came from; 0: none */
	int lost;     /* drop reason of a copy that could not be sent; 0: none */
};

static __always_inline __u32 group_next(__u32 tenant, __u32 member)
{
	struct tsw_group_key key = {.tenant = tenant, .member = member};
	struct tsw_group *group = bpf_map_lookup_elem(&tsw_groups, &key);

	/* A member that has just been taken out ends the walk: back to the head. */
	return group ? group->next : member & TSW_MEMBER_HOST;
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
	if (port_check(port, c->tenant, c->member))
		return 0;
	stamp_set(c->skb, c->cfg, c->tenant, c->member);
	if (!bpf_clone_redirect(c->skb, c->member, 0) && c->skip)
		count_local(c->tenant, c->size);
	return 0;
}

/* To this host's ports of the tenant, but the one where it came from. */
static __noinline void flood_ports(struct flood *c)
{
	c->skb->mark = 0;
	c->member = TSW_MEMBER_PORTS;
	bpf_loop(FLOOD_MAX, flood_port, c, 0);
}

/* On to the next host of the ring; its index, 0 at the end. */
static __always_inline __u32 flood_next_host(struct flood *c)
{
	c->member = group_next(c->tenant, c->member);
	return c->member & ~TSW_MEMBER_HOST;
}

static long flood_host_slow(__u32 i, struct flood *c)
{
	__u32 id = flood_next_host(c);
	struct tsw_host_stats *stats = host_stats_get(id);
	struct tsw_host *host = host_get(id);

	if (!host || !stats)
		return !id;
	if (!tunnel_set_key(c->skb, c->cfg, host, c->tenant, c->frame->tos) &&
	    !bpf_clone_redirect(c->skb, c->cfg->tunnel, 0))
		count_tx(c->tenant, stats, c->size, true);
	else
		c->lost = drop(TSW_DROP_NO_SLOW_PATH);
	return 0;
}

/* The outer header is on already: write the next host's and send a copy. */
static long flood_host_fast(__u32 i, struct flood *c)
{
	__u32 id = flood_next_host(c);
	struct tsw_host_stats *stats = host_stats_get(id);
	struct tsw_host *host = host_get(id);
	struct bpf_fib_lookup fib;

	if (!host || !stats)
		return !id;
	if (tunnel_route(c->skb, c->cfg, host, &fib)) {
		c->lost = drop(TSW_DROP_NO_ROUTE);
		return 0;
	}
	outer_set_macs(&c->outer, &fib);
	c->outer.remote = host->addr.w[3];
	if (vxlan_write(c->skb, c->frame, &c->outer) == NEXT &&
	    !bpf_clone_redirect(c->skb, c->cfg->underlay, 0))
		count_tx(c->tenant, stats, c->size, false);
	return 0;
}

/* To the tenant's other hosts: by the kernel's device, which resolves neighbours, if it is there. */
static __noinline int flood_hosts(struct flood *c)
{
	c->member = TSW_MEMBER_HOSTS;
	if (c->cfg->flags & TSW_CFG_SLOW_PATH) {
		bpf_loop(FLOOD_MAX, flood_host_slow, c, 0);
		return c->lost ?: CONSUMED;
	}
	if (group_next(c->tenant, c->member) == TSW_MEMBER_HOSTS)
		return CONSUMED;
	c->outer = (struct outer){.local = c->cfg->local.w[3],
				  .dport = c->cfg->port,
				  .tenant = c->tenant,
				  .tos = c->frame->tos,
				  .sport = vxlan_sport(c->skb)};
	if (vxlan_make_room(c->skb, c->frame))
		return drop(TSW_DROP_NO_SLOW_PATH);
	bpf_loop(FLOOD_MAX, flood_host_fast, c, 0);
	return c->lost ?: CONSUMED;
}

#endif
