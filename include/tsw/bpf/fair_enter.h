/* SPDX-License-Identifier: GPL-2.0-only */
/* A frame that a tenant sends takes its connection's entry, or keeps it. */
#ifndef TSW_BPF_FAIR_ENTER_H
#define TSW_BPF_FAIR_ENTER_H

#include <tsw/bpf/fair_conn.h>

static __always_inline __u32 conn_other(const struct conn *c)
{
	return c->proto == IPPROTO_DCCP ? FAIR_DCCP : FAIR_OTHER;
}

/* Until when conntrack keeps what this frame of the tenant's begins. 0: it begins nothing. */
static __always_inline __u32 conn_begin(const struct conn *c)
{
	if (c->proto == IPPROTO_TCP) {
		if (c->flags & (TCP_RST | TCP_FIN))
			return 0;
		if (c->flags & TCP_SYN)
			return c->flags & TCP_ACK ? FAIR_ACCEPTED : FAIR_HALF_OPEN;
		return FAIR_OPEN;
	}
	if (c->proto == IPPROTO_UDP || c->proto == IPPROTO_ICMP || c->proto == IPPROTO_ICMPV6)
		return c->begins ? FAIR_SHORT : 0;
	return conn_other(c);
}

/* A frame of a known connection: what becomes of its entry. */
static __always_inline __u64 conn_go_on(const struct conn *c, __u64 was)
{
	const __u32 left = CONN_UNTIL(was) - c->now;
	const __u64 print = CONN_PRINT(was), state = was & TSW_CONN_CLOSING;

	if (c->proto == IPPROTO_TCP) {
		if (c->flags & TCP_RST)
			return print | TSW_CONN_CLOSING | (c->now + FAIR_RESET);
		/* The answer that conntrack waits for has not come. */
		if (was & TSW_CONN_HALF_OPEN || c->flags & TCP_SYN)
			return was;
		if (c->flags & TCP_FIN || state)
			return print | TSW_CONN_CLOSING | (c->now + FAIR_CLOSING);
		return left > FAIR_OPEN / 2 ? was : print | (c->now + FAIR_OPEN);
	}
	if (c->proto == IPPROTO_UDP)
		return left > FAIR_SHORT - 2 ? was : print | (c->now + FAIR_LONG);
	if (c->proto == IPPROTO_ICMP || c->proto == IPPROTO_ICMPV6)
		return print | (c->now + FAIR_SHORT);
	return print | (c->now + conn_other(c));
}

/* A connection that ended may begin anew before its entry is free. */
static __always_inline bool conn_is_again(const struct conn *c, __u64 was)
{
	return c->proto == IPPROTO_TCP && was & TSW_CONN_CLOSING &&
	       (c->flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
}

/* NEXT, or a drop reason. Global: the verifier goes through it once, not for each kind of frame. */
__noinline int tsw_conn_enter(const struct conn *c)
{
	struct tsw_fair *fair;
	struct conn_place p;
	__u32 ticks, tenant;
	__u64 now;
	bool half;

	if (!c)
		return NEXT;
	tenant = c->tenant;
	fair = bpf_map_lookup_elem(&tsw_fair, &tenant);
	if (!fair)
		return NEXT;
	ticks = conn_begin(c);
	half = ticks && c->proto == IPPROTO_TCP && ticks == FAIR_HALF_OPEN;
	conn_find(c, fair, ticks, &p);
	if (p.known && !conn_is_again(c, p.was)) {
		now = conn_go_on(c, p.was);
		if (now == p.was || __sync_val_compare_and_swap(p.at, p.was, now) != p.was)
			return NEXT;
		if (p.was & TSW_CONN_HALF_OPEN && !(now & TSW_CONN_HALF_OPEN))
			half_open_end(fair, p.was);
		return NEXT;
	}
	if (!ticks)
		return NEXT;
	if (!p.at && fair->connections != TSW_FAIR_NONE)
		return drop(TSW_DROP_CONNECTIONS_FULL);
	if (half && !half_open_take(fair, c->now))
		return drop(TSW_DROP_HALF_OPEN_FULL);
	if (p.at)
		__sync_val_compare_and_swap(p.at, p.was,
					    CONN_PRINT(c->hash) | (half ? TSW_CONN_HALF_OPEN : 0) |
						    (c->now + ticks));
	return NEXT;
}

#endif
