/* SPDX-License-Identifier: GPL-2.0-only */
/* Which host's gateway holds a flow: the one that serves, unless it began at another. */
#ifndef TSW_BPF_GATEWAY_HOME_H
#define TSW_BPF_GATEWAY_HOME_H

#include "core/fdb.h"
#include "gateway/maps.h"
#include "core/parse.h"

#define ECHO_ID_AT 4 /* of both ICMP's, RFC 792 and RFC 4443 */

/* Flows that the gateway's old place holds stay there for now. */
static __always_inline bool gateway_drains(const struct tsw_gateway *gw, __u64 grace)
{
	return gw->drain_until && bpf_ktime_get_ns() < gw->drain_until + grace;
}

/*
 * Is that other host one of those that are to serve the gateway, if need be? One branch for the
 * verifier: indexes are so small that the product is exact.
 */
static __always_inline bool gateway_has_rank(const struct tsw_gateway *gw, __u32 host)
{
	__u64 differ = 1;

	for (__u32 i = 0; i < TSW_GATEWAY_RANKS; i++)
		differ *= gw->rank[i] ^ host;
	return !differ;
}

/* Does, did, or may that host serve the gateway, so that it may send in its name? */
static __always_inline bool gateway_is_at(const struct tsw_gateway *gw, __u32 host)
{
	if (gw->host ? gw->host == host : gw->flags & TSW_GATEWAY_ALL)
		return true;
	if (gateway_has_rank(gw, host))
		return true;
	return (gw->old ? gw->old == host : gw->flags & TSW_GATEWAY_WAS_ALL) &&
	       gateway_drains(gw, TSW_DRAIN_GRACE);
}

/* The flow of a frame as its endpoint sends it; later fragments have no ports. */
static __always_inline void flow_of(struct __sk_buff *skb, __u32 tenant, const struct frame *f,
				    struct tsw_flow_key *key)
{
	*key = (struct tsw_flow_key){
		.tenant = tenant, .src = f->src, .dst = f->dst, .proto = f->proto};
	if (f->proto == IPPROTO_TCP || f->proto == IPPROTO_UDP)
		bpf_skb_load_bytes(skb, f->l4, &key->sport, 2 * sizeof(key->sport));
	else if (f->proto == IPPROTO_ICMP || f->proto == IPPROTO_ICMPV6)
		bpf_skb_load_bytes(skb, f->l4 + ECHO_ID_AT, &key->sport, sizeof(key->sport));
}

/* The same of a frame to the endpoint. */
static __always_inline void flow_of_answer(struct __sk_buff *skb, __u32 tenant,
					   const struct frame *f, struct tsw_flow_key *key)
{
	__be16 port;

	flow_of(skb, tenant, f, key);
	key->src = f->dst;
	key->dst = f->src;
	if (f->proto == IPPROTO_TCP || f->proto == IPPROTO_UDP) {
		port = key->sport;
		key->sport = key->dport;
		key->dport = port;
	}
}

static __always_inline bool flow_begins(struct __sk_buff *skb, const struct frame *f)
{
	__u8 flags = 0;

	if (f->proto == IPPROTO_TCP)
		bpf_skb_load_bytes(skb, f->l4 + TCP_FLAGS_AT, &flags, sizeof(flags));
	return (flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
}

/* Whose gateway holds a frame's flow: one of these, or the index of another host. */
enum gateway_home {
	HOME_HELD = -1, /* this host's, if it has it already; else it goes where it is served now */
	HOME_LOCAL,	/* this host's */
};

static __always_inline bool home_is_elsewhere(int home)
{
	return home > HOME_LOCAL;
}

/* Flows of it may be at other hosts than where it is served. */
static __always_inline bool gateway_is_spread(const struct tsw_gateway *gw)
{
	return gw->n_ranks > 1 || gw->flags & TSW_GATEWAY_ALL;
}

/* A flow that was noted to be at HOST, 0 for this one: can it still be there? */
static __always_inline bool home_is_good(const struct tsw_gateway *gw, __u32 host)
{
	if (gw->n_ranks < 2)
		return true;
	for (__u32 i = 0; i < TSW_GATEWAY_RANKS; i++)
		if (gw->rank[i] == host && gw->down & 1U << i)
			return false;
	if (!host)
		return !gw->host || gw->flags & TSW_GATEWAY_READY || gateway_drains(gw, 0);
	return gateway_is_at(gw, host);
}

/*
 * A port's frame, while the gateway moves: a connection that begins goes to the new place at once,
 * and so does what is known to be there. All else is left to the old place to know.
 */
static __always_inline int home_of_port(struct __sk_buff *skb, struct tsw_gateway *gw, __u32 tenant,
					const struct frame *f)
{
	bool moving = (gw->host || gw->old) && gateway_drains(gw, 0);
	bool noted = gw->flags & TSW_GATEWAY_FLOWS && gateway_is_spread(gw);
	struct tsw_flow_key key;
	struct tsw_flow *flow;

	if (!moving && !noted)
		return gw->host;
	flow_of(skb, tenant, f, &key);
	if (flow_begins(skb, f)) {
		/* Where nothing moves it need not be noted: the map is all tenants'. */
		if (moving || flow_get(&key))
			flow_put(&key, gw->host);
		return gw->host;
	}
	flow = flow_get(&key);
	if (flow && home_is_good(gw, flow->host))
		return flow->host;
	if (!moving)
		return gw->host;
	return gw->old ? gw->old : HOME_HELD;
}

/*
 * At a backup: who sent it here knows more, or less, than this host. What may be a flow's first
 * frame is served; of what is not, as a connection of TCP that goes on, another host may have the
 * NAT: it goes on to who serves. That one keeps what was sent on, so no frame goes round.
 */
static __always_inline int home_of_backup(struct __sk_buff *skb, const struct tsw_gateway *gw,
					  const struct frame *f)
{
	if (!gw->old && gateway_drains(gw, TSW_DRAIN_GRACE))
		return HOME_HELD;
	return f->proto != IPPROTO_TCP || flow_begins(skb, f) ? HOME_LOCAL : HOME_HELD;
}

/* From another host, whose choice it was to send it here. */
static __always_inline int home_of_arrival(struct __sk_buff *skb, struct tsw_gateway *gw,
					   __u32 tenant, const struct frame *f)
{
	bool bounced = mac_equal(&f->eth.src, &gw->mac);
	bool ready = gw->flags & TSW_GATEWAY_READY;
	struct tsw_flow_key key;

	if (gw->host && ready && !bounced)
		return home_of_backup(skb, gw, f);
	if (gw->host && !ready) /* a frame that comes back from there would go round */
		return bounced || gw->old || !gateway_drains(gw, TSW_DRAIN_GRACE) ? gw->host
										  : HOME_HELD;
	/* The host that served before does not know this one. */
	if (bounced) {
		flow_of(skb, tenant, f, &key);
		flow_put(&key, 0);
		return HOME_LOCAL;
	}
	/* From one place to all: the others serve what begins there themselves. */
	if ((gw->flags & (TSW_GATEWAY_ALL | TSW_GATEWAY_WAS_ALL)) == TSW_GATEWAY_ALL && !gw->old &&
	    gateway_drains(gw, TSW_DRAIN_GRACE))
		return HOME_HELD;
	return HOME_LOCAL;
}

/* FROM: the host that sent the frame here, 0: a port. */
static __noinline int gateway_home(struct __sk_buff *skb, struct tsw_gateway *gw, __u32 tenant,
				   const struct frame *f, __u32 from)
{
	return from ? home_of_arrival(skb, gw, tenant, f) : home_of_port(skb, gw, tenant, f);
}

/*
 * Where several may serve, an answer to what another host's gateway brought must go back by that
 * one: as long as it lives it has the flow.
 */
static __always_inline bool gateway_is_noted(const struct tsw_gateway *gw, __u32 from)
{
	if (gw->flags & TSW_GATEWAY_ALL)
		return !(gw->old == from && gateway_drains(gw, TSW_DRAIN_GRACE));
	return gw->n_ranks > 1 && gw->host != from;
}

static __noinline void gateway_note_flow(struct __sk_buff *skb, __u32 tenant, const struct frame *f,
					 __u32 from)
{
	struct tsw_gateway *gw = gateway_get(tenant);
	struct tsw_flow_key key;

	if (!gw || !mac_equal(&gw->mac, &f->eth.src) || !frame_is_ip(f) ||
	    !gateway_is_noted(gw, from))
		return;
	flow_of_answer(skb, tenant, f, &key);
	gw->flags |= TSW_GATEWAY_FLOWS;
	flow_put(&key, from);
}

#endif
