/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant's frame to its gateway, from a port of this host or from another host. */
#ifndef TSW_BPF_GATEWAY_FROM_TENANT_H
#define TSW_BPF_GATEWAY_FROM_TENANT_H

#include "answer/own_address.h"
#include "gateway/enter.h"
#include "gateway/home.h"

/*
 * Sends a port's frame to the tenant's gateway. Ping and DNS to the gateway's own address are
 * answered here. NEXT: the flow's gateway is on another host, whose index is in *host.
 */
static __noinline int gateway_from_port(struct __sk_buff *skb, struct tsw_config *cfg,
					struct frame_id *id, const struct frame *f, __u32 *host)
{
	struct tsw_gateway *gw = gateway_get(id->tenant);
	int verdict, home, mark;

	if (!gw)
		return drop(TSW_DROP_NO_GATEWAY);
	verdict = own_address_step(skb, cfg, id, f, gw);
	if (verdict != NEXT)
		return verdict;
	home = gateway_home(skb, gw, id->tenant, f, 0);
	if (home_is_elsewhere(home)) {
		*host = home;
		return NEXT;
	}
	mark = tsw_gateway_mark(skb, f, id, 0, home);
	return mark < 0 ? mark : tsw_gateway_pass(skb, f, id, mark);
}

/*
 * Sends a frame of another host to the tenant's gateway, if this host serves that. The frame is
 * parsed again: the stack has no room for the caller's struct frame and this function's.
 */
__noinline int tsw_gateway_from_host(struct __sk_buff *skb, struct frame_id *id, __u32 from)
{
	struct tsw_gateway *gw;
	struct frame f;
	int verdict, home, mark;

	if (!id)
		return drop(TSW_DROP_INTERNAL);
	gw = gateway_get(id->tenant);
	if (!gw)
		return drop(TSW_DROP_NO_GATEWAY);
	verdict = parse_frame(skb, 0, &f);
	if (verdict != NEXT)
		return verdict;
	home = gateway_home(skb, gw, id->tenant, &f, from);
	if (home_is_elsewhere(home))
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	mark = tsw_gateway_mark(skb, &f, id, from, home);
	return mark < 0 ? mark : tsw_gateway_pass(skb, &f, id, mark);
}

#endif
