/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant's frame takes an entry for its connection, or keeps it. */
#ifndef TSW_BPF_GATEWAY_FAIR_ENTER_H
#define TSW_BPF_GATEWAY_FAIR_ENTER_H

#include "gateway/fair_conn.h"
#include "gateway/fast.h"

/* For protocols whose states are not read, conntrack's longest timeout counts. */
static __always_inline enum tsw_timeout conn_other(const struct conn *c)
{
	switch (c->proto) {
	case IPPROTO_UDP:
		return c->sip ? TSW_TIMEOUT_SIP : TSW_TIMEOUT_UDP;
	case IPPROTO_UDPLITE:
		return TSW_TIMEOUT_UDP_STREAM;
	case IPPROTO_ICMP:
		return TSW_TIMEOUT_ICMP;
	case IPPROTO_ICMPV6:
		return TSW_TIMEOUT_ICMPV6;
	case IPPROTO_SCTP:
		return TSW_TIMEOUT_SCTP;
	case IPPROTO_DCCP:
		return TSW_TIMEOUT_DCCP;
	case IPPROTO_GRE:
		return TSW_TIMEOUT_GRE;
	default:
		return TSW_TIMEOUT_GENERIC;
	}
}

/* The conntrack state of the connection that this tenant's frame begins. -1: it begins none. */
static __always_inline int conn_begin(const struct conn *c)
{
	if (!c->begins)
		return -1;
	if (c->proto == IPPROTO_TCP) {
		if (c->flags & (TCP_RST | TCP_FIN))
			return -1;
		if (c->flags & TCP_SYN) /* with ACK it is a published port's server */
			return c->flags & TCP_ACK ? TSW_TIMEOUT_TCP_SYN_RECV
						  : TSW_TIMEOUT_TCP_SYN_SENT;
		return TSW_TIMEOUT_TCP_ESTABLISHED;
	}
	return conn_other(c);
}

/* An answered connection that lasts becomes a stream for conntrack, and stays one. */
static __always_inline __u64 conn_go_on_udp(const struct conn *c, __u64 was)
{
	const __u32 begun = CONN_UNTIL(was) - conn_ticks(c, TSW_TIMEOUT_UDP);

	if (!(was & TSW_CONN_STREAM) && (__s32)(c->now - begun) < FAIR_YOUNG)
		return was;
	return CONN_PRINT(was) | TSW_CONN_STREAM | (c->now + conn_ticks(c, TSW_TIMEOUT_UDP_STREAM));
}

/*
 * Updates the entry of a known connection. An end that conntrack may refuse does not end it. Where
 * conntrack's entry can be read, fair_settle.h does that later, unless conntrack has none.
 */
static __always_inline __u64 conn_go_on(const struct conn *c, __u64 was)
{
	const __u64 print = CONN_PRINT(was), state = was & TSW_CONN_CLOSING;

	if (c->proto == IPPROTO_TCP) {
		if (tsw_has_fast && !c->gone && c->flags & (TCP_RST | TCP_FIN))
			return was;
		if (c->flags & TCP_RST)
			return print | TSW_CONN_CLOSING |
			       (c->now + conn_ticks(c, TSW_TIMEOUT_TCP_CLOSE));
		/* Conntrack still waits for the answer. */
		if (was & TSW_CONN_HALF_OPEN || c->flags & TCP_SYN)
			return was;
		if (c->flags & TCP_FIN || state)
			return print | TSW_CONN_CLOSING | (c->now + conn_closing(c));
		return print | (c->now + conn_ticks(c, TSW_TIMEOUT_TCP_ESTABLISHED));
	}
	if (c->proto == IPPROTO_UDP && !c->sip)
		return conn_go_on_udp(c, was);
	return print | (c->now + conn_ticks(c, conn_other(c)));
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
	struct tsw_fair *fair = conn_fair(c);
	struct conn_place p;
	__u64 now;
	int state;
	bool half;

	if (!c || !fair)
		return NEXT;
	state = conn_begin(c);
	half = state == TSW_TIMEOUT_TCP_SYN_SENT;
	conn_find(c, fair, state >= 0, &p);
	if (p.known && !conn_is_again(c, p.was)) {
		now = conn_go_on(c, p.was);
		if (now == p.was || __sync_val_compare_and_swap(p.at, p.was, now) != p.was)
			return NEXT;
		if (p.was & TSW_CONN_HALF_OPEN && !(now & TSW_CONN_HALF_OPEN))
			half_open_end(fair, p.was);
		return NEXT;
	}
	if (state < 0)
		return NEXT;
	if (!p.at && fair->connections != TSW_FAIR_NONE)
		return drop(TSW_DROP_CONNECTIONS_FULL);
	if (half && !half_open_take(fair, c->now))
		return drop(TSW_DROP_HALF_OPEN_FULL);
	if (p.at)
		__sync_val_compare_and_swap(p.at, p.was,
					    CONN_PRINT(c->hash) | (half ? TSW_CONN_HALF_OPEN : 0) |
						    (c->now + conn_ticks(c, state)));
	return NEXT;
}

#endif
