/* SPDX-License-Identifier: GPL-2.0-only */
/* Which host's gateway has a flow: the host that serves, unless the flow began at another. */
#ifndef TSW_BPF_GATEWAY_HOME_H
#define TSW_BPF_GATEWAY_HOME_H

#include "core/fdb.h"
#include "core/host.h"
#include "gateway/maps.h"
#include "core/parse.h"

#define ECHO_ID_AT 4 /* in ICMP and ICMPv6, RFC 792 and RFC 4443 */

/* Do flows stay at the gateway's old place for now? */
static __always_inline bool gateway_drains(const struct tsw_gateway *gw, __u64 grace)
{
	return gw->drain_until && bpf_ktime_get_ns() < gw->drain_until + grace;
}

/*
 * Is that host one of those that may serve the gateway? One branch for the verifier: indices are so
 * small that the product is exact.
 */
static __always_inline bool gateway_has_rank(const struct tsw_gateway *gw, __u32 host)
{
	__u64 differ = 1;

	for (__u32 i = 0; i < TSW_GATEWAY_RANKS; i++)
		differ *= gw->rank[i] ^ host;
	return !differ;
}

/* Does, did or may that host serve the gateway? Then it may send in its name. */
static __always_inline bool gateway_is_at(const struct tsw_gateway *gw, __u32 host)
{
	if (gw->host ? gw->host == host : gw->flags & TSW_GATEWAY_ALL)
		return true;
	if (gateway_has_rank(gw, host))
		return true;
	return (gw->old ? gw->old == host : gw->flags & TSW_GATEWAY_WAS_ALL) &&
	       gateway_drains(gw, TSW_DRAIN_GRACE);
}

/* The flow of an endpoint's frame. Later fragments have no ports. */
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

/* The same flow, read from a frame to the endpoint. */
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

/* The host whose gateway has a frame's flow: one of these, or another host's index. */
enum gateway_home {
	HOME_HELD =
		-1, /* this host, if it has the flow already; otherwise the host that serves now */
	HOME_LOCAL, /* this host */
};

static __always_inline bool home_is_elsewhere(int home)
{
	return home > HOME_LOCAL;
}

/* May the gateway's flows be at hosts other than the one that serves? */
static __always_inline bool gateway_is_spread(const struct tsw_gateway *gw)
{
	return gw->n_ranks > 1 || gw->flags & TSW_GATEWAY_ALL;
}

/*
 * Where each host serves its own, a flow stays with a host while that serves the tenant, and then
 * comes home. A host with endpoints of the tenant serves it. Another may have a published port, and
 * keeps UDP as long as it brings frames.
 */
static __always_inline void home_settle(const struct tsw_flow_key *key, struct tsw_flow *flow)
{
	struct tsw_group_key member = {.tenant = key->tenant,
				       .member = TSW_MEMBER_HOST | flow->host};
	__u64 now = bpf_ktime_get_ns();

	if (!flow->host || bpf_map_lookup_elem(&tsw_groups, &member))
		flow->seen = now;
	else if (!host_get(flow->host) ||
		 (key->proto != IPPROTO_TCP && now - flow->seen > TSW_FLOW_UNHEARD))
		flow->host = 0;
}

/* Can a flow still be where it was noted? */
static __always_inline bool home_is_good(const struct tsw_gateway *gw,
					 const struct tsw_flow_key *key, struct tsw_flow *flow)
{
	__u32 host = flow->host;

	if (gw->flags & TSW_GATEWAY_ALL) {
		home_settle(key, flow);
		return true;
	}
	flow->seen = bpf_ktime_get_ns();
	for (__u32 i = 0; i < TSW_GATEWAY_RANKS; i++)
		if (gw->n_ranks > 1 && gw->rank[i] == host && gw->down & 1U << i)
			return false;
	if (!host)
		return !gw->host || gw->flags & TSW_GATEWAY_READY ||
		       (!gw->old && gateway_drains(gw, 0));
	return gateway_is_at(gw, host);
}

/*
 * For a port's frame while the gateway moves. A new connection goes to the new place at once, and
 * so does a flow that is known to be there. All others go to the old place, which knows.
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
		/* Without a move it is not noted, because all tenants share the map. */
		if (moving || flow_get(&key))
			flow_put(&key, gw->host);
		return gw->host;
	}
	flow = flow_get(&key);
	if (flow && home_is_good(gw, &key, flow))
		return flow->host;
	if (!moving)
		return gw->host;
	return gw->old ? gw->old : HOME_HELD;
}

/*
 * For a frame at a backup, whose sender knows more or less than this host. A flow's possible first
 * frame is served. For a later one, such as TCP in an open connection, another host may have the
 * NAT, so it goes to the host that serves. That host keeps such frames, so no frame goes in
 * circles.
 */
static __always_inline int home_of_backup(struct __sk_buff *skb, const struct tsw_gateway *gw,
					  const struct frame *f)
{
	if (!gw->old && gateway_drains(gw, TSW_DRAIN_GRACE))
		return HOME_HELD;
	return f->proto != IPPROTO_TCP || flow_begins(skb, f) ? HOME_LOCAL : HOME_HELD;
}

/* For a frame that another host chose to send here. */
static __always_inline int home_of_arrival(struct __sk_buff *skb, struct tsw_gateway *gw,
					   __u32 tenant, const struct frame *f)
{
	bool bounced = mac_equal(&f->eth.src, &gw->mac);
	bool ready = gw->flags & TSW_GATEWAY_READY;
	struct tsw_flow_key key;

	if (gw->host && ready && !bounced)
		return home_of_backup(skb, gw, f);
	if (gw->host && !ready) /* a frame that comes back would go in circles */
		return bounced || gw->old || !gateway_drains(gw, TSW_DRAIN_GRACE) ? gw->host
										  : HOME_HELD;
	/* The host that served before does not know this one. */
	if (bounced) {
		flow_of(skb, tenant, f, &key);
		flow_put(&key, 0);
		return HOME_LOCAL;
	}
	/* The gateway moves from one host to all: other hosts serve new flows themselves. */
	if ((gw->flags & (TSW_GATEWAY_ALL | TSW_GATEWAY_WAS_ALL)) == TSW_GATEWAY_ALL && !gw->old &&
	    gateway_drains(gw, TSW_DRAIN_GRACE))
		return HOME_HELD;
	return HOME_LOCAL;
}

/* from: the host that sent the frame here; 0: a port. */
static __noinline int gateway_home(struct __sk_buff *skb, struct tsw_gateway *gw, __u32 tenant,
				   const struct frame *f, __u32 from)
{
	return from ? home_of_arrival(skb, gw, tenant, f) : home_of_port(skb, gw, tenant, f);
}

/*
 * Must the answer go back by that host's gateway, 0: this one's? Where several may serve, it has
 * the flow for as long as it lives. While a gateway moves, the old host does not know the flows
 * that the world begins at the new one.
 */
static __always_inline bool gateway_is_noted(const struct tsw_gateway *gw, __u32 from)
{
	if (gw->flags & TSW_GATEWAY_ALL)
		return from && !(gw->old == from && gateway_drains(gw, TSW_DRAIN_GRACE));
	return gw->host != from ? gw->n_ranks > 1 : gateway_drains(gw, 0);
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
