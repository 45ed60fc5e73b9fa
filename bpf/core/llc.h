/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * IEEE 802.3 frames: a length stands where Ethernet II has its type, and an LLC header follows. By
 * LLC and SNAP the same IP, ARP or VLAN frame can be written a second time, which some receivers
 * unpack (RFC 1042, VU#855201) and no other step here reads. So such frames are dropped.
 */
#ifndef TSW_BPF_CORE_LLC_H
#define TSW_BPF_CORE_LLC_H

#include <linux/if_ether.h>

#include "core/base.h"

#define ETH_TYPE_LEAST 0x600 /* below it is a length, IEEE 802.3 section 3.2.6 */
#define ETH_TYPE_LLC 0x8870  /* LLC behind a type, IEEE 802.1AC section 12 */
#define LLC_IP 0x06	     /* service access points, RFC 1700; the lowest bit: of a group */
#define LLC_ARP 0x98
#define LLC_SNAP 0xaa
#define LLC_UNNUMBERED 0x03   /* bits of the control field; without them it has two octets */
#define SNAP_RFC1042 0x000000 /* vendors whose protocol is an Ethernet type: IEEE 802 section 10 */
#define SNAP_BRIDGED 0x0000f8 /* and IEEE 802.1H */
#define SNAP_IPX 0x8137	      /* what has always been sent so, and is nothing else */
#define SNAP_AARP 0x80f3

struct llc {
	__u8 dsap, ssap, control;
	__u8 vendor[3];
	__be16 type; /* of SNAP */
} __attribute__((packed));

static __always_inline bool ethertype_is_llc(__be16 type)
{
	return bpf_ntohs(type) < ETH_TYPE_LEAST || type == bpf_htons(ETH_TYPE_LLC);
}

/* Is what SNAP carries an Ethernet type again? All of these but two are refused, also a length. */
static __always_inline bool snap_is_ethernet(const struct llc *llc)
{
	const __u32 vendor = llc->vendor[0] << 16 | llc->vendor[1] << 8 | llc->vendor[2];

	if ((llc->control & LLC_UNNUMBERED) != LLC_UNNUMBERED)
		return true; /* the rest would be an octet later; nobody sends SNAP so */
	return (vendor == SNAP_RFC1042 || vendor == SNAP_BRIDGED) &&
	       llc->type != bpf_htons(SNAP_IPX) && llc->type != bpf_htons(SNAP_AARP);
}

/* The length is not looked at: receivers do not, either. NEXT, or a drop reason. */
static __noinline int llc_guard(struct __sk_buff *skb, __u32 off)
{
	struct llc llc;
	__u8 sap;

	if (skb->len < off + sizeof(llc))
		return NEXT; /* too short for a packet */
	if (frame_read(skb, off, &llc, sizeof(llc)))
		return drop(TSW_DROP_INTERNAL);
	sap = llc.dsap & ~1;
	if (sap == LLC_IP || sap == LLC_ARP || (sap == LLC_SNAP && snap_is_ethernet(&llc)))
		return drop(TSW_DROP_SNAP);
	return NEXT;
}

#endif
