/* SPDX-License-Identifier: GPL-2.0-only */
/* Which host's gateway holds a flow: the one that serves, unless it began at another. */
#ifndef TSW_BPF_GATEWAY_HOME_H
#define TSW_BPF_GATEWAY_HOME_H

#include <tsw/bpf/fdb.h>
#include <tsw/bpf/gateway_maps.h>
#include <tsw/bpf/parse.h>

#define ECHO_ID_AT 4 /* of both ICMP's, RFC 792 and RFC 4443 */

/* Flows that the gateway's old place holds stay there for now. */
static __always_inline bool gateway_drains(const struct tsw_gateway *gw, __u64 grace)
{
	return gw->drain_until && bpf_ktime_get_ns() < gw->drain_until + grace;
}

/* Does, or did, that host serve the gateway, so that it may send in its name? */
static __always_inline bool gateway_is_at(const struct tsw_gateway *gw, __u32 host)
{
	if (gw->host ? gw->host == host : gw->flags & TSW_GATEWAY_ALL)
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
	HOME_HERE,	/* this host's */
};

static __always_inline bool home_is_elsewhere(int home)
{
	return home > HOME_HERE;
}

/*
 * A port's frame, while the gateway moves: a connection that begins goes to the new place at once,
 * and so does what is known to be there. All else is left to the old place to know.
 */
static __always_inline int home_of_port(struct __sk_buff *skb, struct tsw_gateway *gw, __u32 tenant,
					const struct frame *f)
{
	bool moving = (gw->host || gw->old) && gateway_drains(gw, 0);
	bool all = gw->flags & TSW_GATEWAY_ALL && gw->flags & TSW_GATEWAY_FLOWS;
	struct tsw_flow_key key;
	struct tsw_flow *flow;

	if (!moving && !all)
		return gw->host;
	flow_of(skb, tenant, f, &key);
	if (flow_begins(skb, f)) {
		/* Where nothing moves it need not be noted: the map is all tenants'. */
		if (moving || flow_get(&key))
			flow_put(&key, gw->host);
		return gw->host;
	}
	flow = flow_get(&key);
	if (flow)
		return flow->host;
	if (!moving)
		return gw->host;
	return gw->old ? gw->old : HOME_HELD;
}

/* From another host, whose choice it was to send it here. */
static __always_inline int home_of_arrival(struct __sk_buff *skb, struct tsw_gateway *gw,
					   __u32 tenant, const struct frame *f)
{
	bool bounced = mac_equal(&f->eth.src, &gw->mac);
	struct tsw_flow_key key;

	if (gw->host) /* a frame that comes back from there would go round */
		return bounced || gw->old || !gateway_drains(gw, TSW_DRAIN_GRACE) ? gw->host
										  : HOME_HELD;
	/* The host that served before does not know this one. */
	if (bounced) {
		flow_of(skb, tenant, f, &key);
		flow_put(&key, 0);
		return HOME_HERE;
	}
	/* From one place to all: the others serve what begins there themselves. */
	if ((gw->flags & (TSW_GATEWAY_ALL | TSW_GATEWAY_WAS_ALL)) == TSW_GATEWAY_ALL && !gw->old &&
	    gateway_drains(gw, TSW_DRAIN_GRACE))
		return HOME_HELD;
	return HOME_HERE;
}

/* FROM: the host that sent the frame here, 0: a port. */
static __noinline int gateway_home(struct __sk_buff *skb, struct tsw_gateway *gw, __u32 tenant,
				   const struct frame *f, __u32 from)
{
	return from ? home_of_arrival(skb, gw, tenant, f) : home_of_port(skb, gw, tenant, f);
}

/* Where all serve, an answer to what another host's gateway brought must go back by that one. */
static __noinline void gateway_note_flow(struct __sk_buff *skb, __u32 tenant, const struct frame *f,
					 __u32 from)
{
	struct tsw_gateway *gw = gateway_get(tenant);
	struct tsw_flow_key key;

	if (!gw || !(gw->flags & TSW_GATEWAY_ALL) || !mac_equal(&gw->mac, &f->eth.src) ||
	    !frame_is_ip(f) || (gw->old == from && gateway_drains(gw, TSW_DRAIN_GRACE)))
		return;
	flow_of_answer(skb, tenant, f, &key);
	gw->flags |= TSW_GATEWAY_FLOWS;
	flow_put(&key, from);
}

#endif
