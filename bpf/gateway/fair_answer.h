/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A frame to a tenant shows that its connection is answered or ends. Used where conntrack's own
 * entry cannot be read (see fair_settle.h).
 */
#ifndef TSW_BPF_GATEWAY_FAIR_ANSWER_H
#define TSW_BPF_GATEWAY_FAIR_ANSWER_H

#include "gateway/fair_conn.h"

/* Updates a connection by a frame to its tenant: it is answered, or ended. */
static __noinline int conn_answered(const struct conn *c, struct tsw_fair *fair)
{
	struct conn_place p;
	__u64 now;

	conn_find(c, fair, false, &p);
	if (!p.known)
		return NEXT;
	now = CONN_PRINT(p.was);
	if (c->flags & TCP_RST)
		now |= TSW_CONN_CLOSING | (c->now + conn_ticks(c, TSW_TIMEOUT_TCP_CLOSE));
	else if (c->flags & TCP_FIN)
		now |= TSW_CONN_CLOSING | (c->now + conn_closing(c));
	else if (p.was & TSW_CONN_HALF_OPEN) /* the tenant's own answer completes it */
		now |= c->now + conn_ticks(c, TSW_TIMEOUT_TCP_SYN_RECV);
	else
		return NEXT;
	if (__sync_val_compare_and_swap(p.at, p.was, now) == p.was && p.was & TSW_CONN_HALF_OPEN)
		half_open_end(fair, p.was);
	return NEXT;
}

/*
 * The address that answers. For the gateway's address it is its resolver, see to_gateway_names().
 */
static __always_inline const struct tsw_addr *conn_far(const struct tsw_gateway *gw,
						       const struct frame *f)
{
	const struct tsw_addr *resolver = gateway_resolver(gw, frame_is_v6(f));

	return resolver && gateway_is_own(gw, &f->src) ? resolver : &f->src;
}

/* Called for each frame of TCP that the router sends to a tenant. */
__noinline int tsw_fair_answer(struct __sk_buff *skb, const struct frame *f, __u32 tenant,
			       __u32 peer)
{
	struct conn c = {.tenant = tenant};
	struct tsw_gateway *gw;
	struct tsw_fair *fair;
	__u8 flags = 0;

	if (!f || bpf_skb_load_bytes(skb, f->l4 + TCP_FLAGS_AT, &flags, sizeof(flags)) ||
	    !(flags & (TCP_SYN | TCP_RST | TCP_FIN)))
		return 0;
	gw = gateway_get(tenant);
	fair = bpf_map_lookup_elem(&tsw_fair, &tenant);
	if (!gw || !fair || !conn_of(skb, f, conn_far(gw, f), true, &c))
		return 0;
	conn_share(&c, gw, frame_is_v6(f), conn_far(gw, f), peer);
	conn_answered(&c, fair);
	return 0;
}

#endif
