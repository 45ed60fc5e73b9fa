/* SPDX-License-Identifier: GPL-2.0-only */
/* The switch's answers in the name of the tenant's gateway or of its service address. */
#ifndef TSW_BPF_ANSWER_OWN_ADDRESS_H
#define TSW_BPF_ANSWER_OWN_ADDRESS_H

#include "answer/dns.h"
#include "answer/echo.h"
#include "gateway/enter.h"

#define OWN_ADDRESS_PORT_WITHIN 0x1fff /* largest offset in the frame that the verifier accepts */

/* Is it to port 53, by UDP or TCP? Other frames pay for no call, as in dhcp_may_be(). */
static __always_inline bool own_address_may_be_dns(struct __sk_buff *skb, const struct frame *f)
{
	__u32 off = f->l4 + offsetof(struct udphdr, dest);
	__be16 *dport, there;

	if ((f->proto != IPPROTO_UDP && f->proto != IPPROTO_TCP) || off > OWN_ADDRESS_PORT_WITHIN)
		return false;
	dport = skb_data(skb) + off;
	TSW_KEEP(dport);
	if ((void *)(dport + 1) <= skb_data_end(skb))
		return *dport == bpf_htons(DNS_PORT);
	return !bpf_skb_load_bytes(skb, off, &there, sizeof(there)) && there == bpf_htons(DNS_PORT);
}

/* Does the gateway have a resolver for questions that are not answered here? All TCP goes there. */
static __always_inline bool own_address_has_resolver(__u32 tenant, const struct frame *f)
{
	struct tsw_gateway *gw = gateway_get(tenant);

	return gw && gateway_resolver(gw, frame_is_v6(f)) && gateway_is_dst(gw, f) &&
	       (f->proto == IPPROTO_TCP || dns_is_of_world());
}

static __noinline int own_address_dns(struct __sk_buff *skb, struct frame_id *id,
				      const struct frame *f)
{
	int verdict;

	if (!reply_claim())
		return drop(TSW_DROP_INTERNAL);
	if (f->proto == IPPROTO_UDP) {
		verdict = tsw_dns_read(skb, f);
		if (verdict == REDIRECT)
			verdict = tsw_dns_answer(skb);
		if (verdict == REDIRECT)
			verdict = own_address_has_resolver(id->tenant, f) ? NEXT
									  : tsw_dns_end(skb, f);
	} else {
		verdict = own_address_has_resolver(id->tenant, f) ? NEXT : tsw_dns_reset(skb, f);
	}
	if (verdict == REDIRECT)
		verdict = tsw_dns_send(skb, f);
	reply_release();
	if (verdict == REDIRECT) {
		id->out = skb->ifindex;
		count_answered(id->tenant, &id->size);
	}
	return verdict;
}

static __always_inline int own_address_echo(struct __sk_buff *skb, struct tsw_config *cfg,
					    struct frame_id *id, const struct frame *f)
{
	if (echo_answer(skb, f) != NEXT)
		return drop(TSW_DROP_INTERNAL);
	count_answered(id->tenant, &id->size);
	id->out = skb->ifindex;
	return deliver_answer(skb, cfg, id->tenant, skb->ifindex);
}

static __always_inline bool own_address_is_service(const struct frame *f)
{
	return addr_is_service(&f->dst) && !frame_is_mapped(f);
}

/* A frame to the gateway's MAC. NEXT: it is for the gateway, not for the switch. */
static __noinline int own_address_step(struct __sk_buff *skb, struct tsw_config *cfg,
				       struct frame_id *id, const struct frame *f,
				       const struct tsw_gateway *gw)
{
	bool echo = echo_is_request(skb, f);

	if (!echo && !own_address_may_be_dns(skb, f))
		return NEXT;
	if (!gateway_is_dst(gw, f))
		return !echo && own_address_is_service(f) ? own_address_dns(skb, id, f) : NEXT;
	return echo ? own_address_echo(skb, cfg, id, f) : own_address_dns(skb, id, f);
}

/*
 * A frame to a MAC that no endpoint has: it may be the service MAC, if the tenant has no gateway.
 */
static __always_inline int own_address_service(struct __sk_buff *skb, struct frame_id *id,
					       const struct frame *f)
{
	int verdict = NEXT;

	if (mac_equal(&f->eth.dst, &service_mac) && own_address_is_service(f) &&
	    own_address_may_be_dns(skb, f))
		verdict = own_address_dns(skb, id, f);
	return verdict == NEXT ? drop(TSW_DROP_UNKNOWN_DESTINATION) : verdict;
}

#endif
