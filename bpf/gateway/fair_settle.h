/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Settles a frame's connection where the frame leaves the router, by conntrack's own entry. A
 * tenant's frame can only prolong an entry (fair_enter.h). Here it gets conntrack's real time, also
 * for answers.
 */
#ifndef TSW_BPF_GATEWAY_FAIR_SETTLE_H
#define TSW_BPF_GATEWAY_FAIR_SETTLE_H

#include "gateway/fair_answer.h"
#include "gateway/fast_learn.h"
#include "gateway/kernel_ct.h"

/* The kernel's, of include/uapi/linux/netfilter/nf_conntrack_tcp.h. */
#define CT_TCP_SYN_SENT 1
#define CT_TCP_CLOSE 8

/* A hash of the remaining time, direction and side, so that one look in a tick is enough. */
static __always_inline __u64 settle_once(const struct nf_conn *ct, __u32 ticks, __u8 state,
					 bool reply, bool answer)
{
	return hash_mix((__u64)ct, (__u64)ticks << 16 | state << 2 | reply << 1 | answer);
}

/*
 * Reads the connection from its tenant's side: the reply's direction, or the original one. Not
 * inlined, to save stack.
 */
static __noinline bool settle_conn(const struct nf_conn *ct, bool reply, __u32 peer, struct conn *c)
{
	struct tsw_gateway *gw = gateway_get(c->tenant);
	const struct tsw_addr *resolver;
	struct tsw_flow_key key;
	bool v6;

	if (!gw)
		return false;
	ct_key(ct, reply, &key);
	v6 = !addr_is_v4mapped(&key.src);
	resolver = gateway_resolver(gw, v6);
	if (resolver && gateway_is_own(gw, &key.dst))
		key.dst = *resolver;
	c->proto = key.proto;
	if (conn_has_ports(c->proto) || c->proto == IPPROTO_GRE || c->proto == IPPROTO_ICMP ||
	    c->proto == IPPROTO_ICMPV6) {
		c->ports[0] = key.sport;
		c->ports[1] = key.dport;
	}
	c->hash = conn_hash(c, &key.dst, &key.src);
	conn_share(c, gw, v6, &key.dst, peer);
	return true;
}

/* The number of ticks for which conntrack still keeps it. Not inlined, to save stack. */
static __noinline __u32 settle_ticks(const struct nf_conn *ct)
{
	__u32 until = 0;
	__s32 left;

	if (ct_status(ct) & CT_DYING)
		return fair_ticks(0);
	CT_GET(until, ct->timeout);
	left = until - (__u32)bpf_jiffies64();
	return fair_ticks(left < 0 ? 0 : (__u64)left * tsw_jiffy);
}

/* The entry of a connection in that state. */
static __always_inline __u64 settle_entry(const struct conn *c, __u64 was, __u8 state, __u32 ticks)
{
	const __u64 entry = CONN_PRINT(c->hash) | ((c->now + ticks) & TSW_CONN_UNTIL);

	if (c->proto != IPPROTO_TCP)
		return entry | (was & TSW_CONN_STREAM) |
		       (ticks > conn_ticks(c, TSW_TIMEOUT_UDP) ? TSW_CONN_STREAM : 0);
	if (state == CT_TCP_SYN_SENT && was & TSW_CONN_HALF_OPEN)
		return entry | TSW_CONN_HALF_OPEN;
	return state > CT_TCP_ESTABLISHED && state <= CT_TCP_CLOSE ? entry | TSW_CONN_CLOSING
								   : entry;
}

/* An answer in a connection without an entry needs a new one, unless it ends the connection. */
static __always_inline int settle_new(const struct conn *c, const struct tsw_fair *fair,
				      const struct conn_place *p, __u64 now)
{
	if (c->proto == IPPROTO_TCP && now & TSW_CONN_CLOSING)
		return NEXT;
	if (!p->at)
		return fair->connections == TSW_FAIR_NONE ? NEXT : drop(TSW_DROP_CONNECTIONS_FULL);
	__sync_val_compare_and_swap(p->at, p->was, now);
	return NEXT;
}

/* A half-open connection that conntrack keeps for longer began again. */
static __always_inline void settle_half_open(const struct conn *c, struct tsw_fair *fair, __u64 was,
					     __u64 now)
{
	if (!(was & TSW_CONN_HALF_OPEN))
		return;
	half_open_end(fair, was);
	if (now & TSW_CONN_HALF_OPEN)
		half_open_take(fair, c->now);
}

/* Global: the verifier goes through it once. */
__noinline int tsw_conn_settle(const struct conn *c, __u8 state, __u32 ticks, bool answer)
{
	struct tsw_fair *fair = conn_fair(c);
	struct conn_place p;
	__u64 now;

	if (!c || !fair)
		return NEXT;
	conn_find(c, fair, answer, &p);
	now = settle_entry(c, p.known ? p.was : 0, state, ticks);
	if (!p.known)
		return answer ? settle_new(c, fair, &p, now) : NEXT;
	if (__sync_val_compare_and_swap(p.at, p.was, now) == p.was)
		settle_half_open(c, fair, p.was, now);
	return NEXT;
}

/*
 * A frame of tenant's connection leaves the router: an answer to the tenant, or its own frame. The
 * other end is peer, or with 0 the world. NEXT, or a drop reason.
 */
__noinline int tsw_fair_settle(struct __sk_buff *skb, const struct frame *f, __u32 tenant,
			       __u32 peer, bool answer)
{
	const unsigned long nfct = ct_of(skb);
	const struct nf_conn *ct = ct_entry(nfct);
	const bool reply = (nfct & CT_INFO) == CT_INFO_REPLY;
	struct conn c = {.tenant = tenant, .now = fair_tick()};
	__u8 state = 0, proto = 0;
	__u32 ticks;
	__u64 once;
	int verdict;

	/*
	 * An error has no connection of its own. A connection that the world began has no answer
	 * yet.
	 */
	if (!tsw_has_fast || !f || !nfct ||
	    !(reply || (nfct & CT_INFO) == CT_INFO_ESTABLISHED ||
	      ((nfct & CT_INFO) == CT_INFO_NEW && !answer)))
		return NEXT;
	CT_GET(proto, ct->tuplehash[0].tuple.dst.protonum);
	if (proto == IPPROTO_TCP)
		CT_GET(state, ct->proto.tcp.state);
	ticks = settle_ticks(ct);
	once = settle_once(ct, ticks, state, reply, answer);
	if ((fair_seen(once, c.now) && !frame_ends(skb, f)) ||
	    !settle_conn(ct, reply != answer, peer, &c))
		return NEXT;
	verdict = tsw_conn_settle(&c, state, ticks, answer);
	if (verdict == NEXT)
		fair_see(once, c.now);
	return verdict;
}

#endif
