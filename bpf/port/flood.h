/* SPDX-License-Identifier: GPL-2.0-only */
/* Broadcast and multicast: a copy to each port of the tenant. flood_hosts.h sends to its hosts. */
#ifndef TSW_BPF_PORT_FLOOD_H
#define TSW_BPF_PORT_FLOOD_H

#include "core/deliver.h"
#include "core/port.h"
#include "core/stamp.h"
#include "core/tenant.h"
#include "policy/step.h"
#include "port/limit.h"
#include "port/move.h"
#include "tunnel/encap.h"
#include "watch/flow_note.h"
#include "watch/points.h"

#define FLOOD_MAX 65536 /* members of a ring that are visited: a bound for bpf_loop(), not a size */

struct flood {
	struct __sk_buff *skb;
	struct tsw_config *cfg;
	const struct frame *frame;
	struct frame_id *id;
	struct outer outer; /* for copies to hosts */
	__u32 member;	    /* the place in the ring; a bare host index after the ring of hosts */
	__u32 skip;	    /* the port that the frame came from; 0: none */
	__u32 fast;	    /* FLOOD_FAST() of families with hosts whose headers are written here */
	int lost;	    /* the verdict of a copy that could not be sent; 0: none */
};

static __always_inline __u32 group_next(__u32 tenant, __u32 member)
{
	struct tsw_group_key key = {.tenant = tenant, .member = member};
	struct tsw_group *group = bpf_map_lookup_elem(&tsw_groups, &key);

	/* A member that was just removed ends the walk: back to the head. */
	return group ? group->next : member & TSW_MEMBER_HOST;
}

/*
 * Counts a copy that a port does not get. Watchers hear of the last one only: the stack has no room
 * for more.
 */
static __noinline void flood_refused(struct flood *c, enum tsw_drop reason)
{
	const struct frame_id id = {
		.tenant = c->id->tenant, .direction = TSW_DIR_TO_ENDPOINT, .size = c->id->size};

	count_drop(&id, reason);
	c->lost = drop(reason);
}

static long flood_port(__u32 i, struct flood *c)
{
	struct tsw_port *port;
	int verdict = NEXT;

	c->member = group_next(c->id->tenant, c->member);
	if (c->member == TSW_MEMBER_PORTS)
		return 1;
	if (c->member == c->skip)
		return 0;
	port = port_get(c->member);
	if (port_check(port, c->id->tenant, c->member) || !move_has(port, c->member))
		return 0;
	if (port->flags & TSW_PORT_POLICY)
		verdict = tsw_policy_copy(c->skb, c->frame, c->id, c->member);
	if (verdict == NEXT)
		verdict = limit(port, TSW_RATE_IN, c->id->size.bytes);
	if (verdict != NEXT) {
		flood_refused(c, -verdict);
		return 0;
	}
	stamp_set(c->skb, c->cfg, c->id->tenant, c->member);
	if (bpf_clone_redirect(c->skb, c->member, port_way(port)))
		return 0;
	watch_copy(c->skb, c->id, c->member);
	if (c->skip)
		count_local(c->id->tenant, &c->id->size);
	return 0;
}

/*
 * Sends a copy to each port of this host but skip. Not 0: the reason why some port got none.
 *
 * Global, like the walks below. Inlined, the verifier would go through a walk once for each end of
 * the walk before it.
 */
__noinline int tsw_flood_ports(struct __sk_buff *skb, struct frame_id *id, const struct frame *f,
			       __u32 skip)
{
	struct flood c = {.skb = skb,
			  .cfg = config_get(),
			  .frame = f,
			  .id = id,
			  .member = TSW_MEMBER_PORTS,
			  .skip = skip};

	if (!c.cfg || !id || !f)
		return 0;
	skb->mark = 0;
	bpf_loop(FLOOD_MAX, flood_port, &c, 0);
	return -c.lost;
}

/*
 * Sends a copy to each of the tenant's ports here. skip: the port that sent the frame; 0: it came
 * from another host.
 */
static __always_inline void flood_ports(struct __sk_buff *skb, struct frame_id *id,
					const struct frame *f, __u32 skip)
{
	const enum tsw_direction from = id->direction;
	const int reason = tsw_flood_ports(skb, id, f, skip);

	if (!reason)
		return;
	id->direction = TSW_DIR_TO_ENDPOINT;
	watch_dropped(skb, id, reason);
	id->direction = from;
}

/* May a frame to all go to all? */
static __always_inline bool flood_may(struct __sk_buff *skb, const struct tsw_tenant *tenant,
				      const struct frame_id *id, struct frame *f)
{
	if (!tenant || tenant->flags & TSW_TENANT_BROADCAST)
		return tenant;
	if (tsw_vip_is_asked(skb, id->tenant, f))
		f->announces |= FRAME_TAKES;
	return f->announces;
}

/* Sends another host's frame to this host's ports of the tenant, if its policy allows. */
static __always_inline int flood_from_host(struct __sk_buff *skb, struct frame_id *id,
					   struct frame *f)
{
	struct tsw_tenant *tenant = tenant_get(id->tenant);
	int verdict = NEXT;

	if (!flood_may(skb, tenant, id, f))
		return drop(TSW_DROP_BROADCAST_OFF);
	if (tenant->flags & TSW_TENANT_FLOWS)
		tsw_flow_note(skb, f, id, 0);
	if (tenant->flags & TSW_TENANT_POLICY)
		verdict = tsw_policy(skb, f, id);
	if (verdict != NEXT)
		return verdict;
	flood_ports(skb, id, f, 0);
	return CONSUMED;
}

#endif
