/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Proves whose a frame at tsw-gw is. The frame's mark leads it through the router, and its
 * connection's mark leads the answer back. Other programs of the host can change both.
 *
 * They cannot change the zone of a conntrack entry, which is the index of the tenant that began the
 * connection. A connection that the world began is proved by the published port. Frames that skip
 * the router carry the switch's stamp and their mark.
 */
#ifndef TSW_BPF_GATEWAY_PROOF_H
#define TSW_BPF_GATEWAY_PROOF_H

#include "core/config.h"
#include "core/drop.h"
#include "gateway/kernel_ct.h"
#include "core/stamp.h"

/* The zone of a connection that a tenant or a peering's first tenant began; 0: neither. */
static __always_inline __u32 proof_zone(const struct nf_conn *ct)
{
	struct nf_conntrack_zone zone = {};

	if (bpf_core_field_exists(ct->zone)) {
		CT_GET(zone.id, ct->zone.id);
		CT_GET(zone.dir, ct->zone.dir);
	}
	return zone.dir == CT_ZONE_ORIGINAL ? zone.id : 0;
}

/*
 * A peering's connection belongs to both tenants. Outgoing, each direction has the other's index.
 */
static __always_inline bool proof_is_peering(const struct tsw_mark *to, __u32 zone)
{
	const struct tsw_mark *began = mark_get(zone);

	return to->peer && began && began->tenant == to->peer && began->peer == to->tenant;
}

/*
 * Did the connection come by a published port of this tenant, and does it lead to that port's
 * endpoint?
 */
static __noinline bool proof_is_published(const struct nf_conn *ct, __u32 tenant)
{
	struct tsw_publish_key key = {};
	struct tsw_flow_key asked, answer;
	const struct tsw_publish *port;

	ct_key(ct, false, &asked);
	ct_key(ct, true, &answer);
	key.family = addr_is_v4mapped(&asked.dst) ? TSW_IPV4 : TSW_IPV6;
	key.proto = asked.proto;
	key.port = bpf_ntohs(asked.dport);
	port = bpf_map_lookup_elem(&tsw_publish, &key);
	return port && port->tenant == tenant && port->port == bpf_ntohs(answer.sport) &&
	       addr_equal(&port->addr, &answer.src);
}

/* The tenant that began the frame's connection; 0: not known. */
static __noinline __u32 proof_tenant(struct __sk_buff *skb)
{
	const unsigned long nfct = tsw_has_conntrack ? ct_of(skb) : 0;

	return nfct ? mark_tenant(proof_zone(ct_entry(nfct))) : 0;
}

/* Is it a connection of this tenant, as either tenant of a peering? */
static __always_inline bool proof_is_of(const struct nf_conn *ct, __u32 tenant)
{
	const __u32 zone = proof_zone(ct);
	const struct tsw_mark *began = zone ? mark_get(zone) : NULL;

	if (zone)
		return began && (began->tenant == tenant || began->peer == tenant);
	return proof_is_published(ct, tenant);
}

/*
 * Whose connection does conntrack take the frame for, if it is for the tenant or peering with this
 * index? CT_NONE: it has no connection. Global: the verifier goes through it once.
 */
__noinline int tsw_proof(struct __sk_buff *skb, __u32 index)
{
	const unsigned long nfct = ct_of(skb);
	const struct nf_conn *ct = ct_entry(nfct);
	const struct tsw_mark *to = mark_get(index);
	__u32 zone;

	if (!nfct || !to)
		return CT_NONE;
	zone = proof_zone(ct);
	if (zone)
		return zone == index || proof_is_peering(to, zone) ? CT_OWN : CT_FOREIGN;
	return proof_is_published(ct, to->tenant) ? CT_OWN : CT_FOREIGN;
}

/* Checks a frame that leaves the router for a tenant. NEXT, or a drop reason. */
static __always_inline int proof_of_leaving(struct __sk_buff *skb)
{
	const int whose = tsw_has_conntrack ? tsw_proof(skb, skb->mark & TSW_MARK_INDEX) : CT_OWN;

	if (whose == CT_NONE)
		return drop(TSW_DROP_NOT_STAMPED);
	return whose == CT_OWN ? NEXT : drop(TSW_DROP_FOREIGN_FLOW);
}

/* The tenant whose connection may lead to the world, in this direction. NULL: none. */
static __always_inline const struct tsw_mark *proof_of_sender(__u32 mark, bool reply)
{
	const __u32 class = mark & TSW_MARK_CLASS;
	const bool asked = class == TSW_CT_OUT || class == TSW_CT_NAMES;
	const bool answers = class == TSW_CT_PUBLISHED || class == TSW_CT_EXPECTED;
	const struct tsw_mark *of = NULL;

	if (reply ? answers : asked)
		of = mark_get(mark & TSW_MARK_INDEX);
	return of && !of->peer ? of : NULL;
}

/*
 * Checks a frame that leaves the router for the world. The router's rules should have translated
 * it, but others may have removed them, and the kernel removes them one by one. So a frame that was
 * forwarded must be of a tenant's connection, with the source that conntrack gave this. NEXT, or a
 * drop reason.
 */
static __noinline int proof_of_way_out(struct __sk_buff *skb, const struct frame *f, __u32 *tenant)
{
	const unsigned long nfct = ct_of(skb);
	const bool reply = (nfct & CT_INFO) >= CT_INFO_REPLY;
	const struct nf_conn *ct = ct_entry(nfct);
	const __u32 mark = nfct ? ct_mark(ct) : 0;
	const struct tsw_mark *of = proof_of_sender(mark, reply);
	struct tsw_addr was = {}, is = {}; /* its source, before NAT and after */
	const struct tsw_gateway *gw;

	if (!of) { /* the router itself tells the world of errors */
		*tenant = proof_tenant(skb);
		return skb->ingress_ifindex || mark ? drop(TSW_DROP_NOT_STAMPED) : NEXT;
	}
	*tenant = of->tenant;
	gw = gateway_get(of->tenant);
	if (!gw)
		return drop(TSW_DROP_NO_GATEWAY);
	if (reply) {
		CT_GET(was, ct->tuplehash[1].tuple.src.u3);
		CT_GET(is, ct->tuplehash[0].tuple.dst.u3);
	} else {
		CT_GET(was, ct->tuplehash[0].tuple.src.u3);
		CT_GET(is, ct->tuplehash[1].tuple.dst.u3);
	}
	if (!frame_is_v6(f)) {
		was = addr_from_v4(was.w[0]);
		is = addr_from_v4(is.w[0]);
	}
	return addr_equal(&f->src, &is) && !(gw->flags & TSW_GATEWAY_NAT && addr_equal(&is, &was))
		       ? NEXT
		       : drop(TSW_DROP_FOREIGN_FLOW);
}

#endif
