/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * IEEE 802.3 frames have a length where Ethernet II has its type, and then an LLC header. With LLC
 * and SNAP, IP, ARP or VLAN frames can be written in a second way. Some receivers unpack them (RFC
 * 1042, VU#855201), but no other step here reads them. So such frames are dropped.
 */
#ifndef TSW_BPF_CORE_LLC_H
#define TSW_BPF_CORE_LLC_H

#include <linux/if_ether.h>

#include "core/base.h"

#define ETH_TYPE_LEAST 0x600 /* smaller values are lengths, IEEE 802.3 section 3.2.6 */
#define ETH_TYPE_LLC 0x8870  /* LLC behind a type, IEEE 802.1AC section 12 */
#define LLC_IP 0x06	     /* service access points, RFC 1700; the lowest bit marks a group */
#define LLC_ARP 0x98
#define LLC_SNAP 0xaa
#define LLC_UNNUMBERED 0x03   /* bits of the control field; otherwise it has two octets */
#define SNAP_RFC1042 0x000000 /* vendors whose protocol is an Ethernet type: IEEE 802 section 10 */
#define SNAP_BRIDGED 0x0000f8 /* and IEEE 802.1H */
#define SNAP_IPX 0x8137	      /* always sent this way, and nothing else */
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

/* Does SNAP carry an Ethernet type? All types but two are refused, and so is a length. */
static __always_inline bool snap_is_ethernet(const struct llc *llc)
{
	const __u32 vendor = llc->vendor[0] << 16 | llc->vendor[1] << 8 | llc->vendor[2];

	if ((llc->control & LLC_UNNUMBERED) != LLC_UNNUMBERED)
		return true; /* the rest would be one octet later; nobody sends SNAP like this */
	return (vendor == SNAP_RFC1042 || vendor == SNAP_BRIDGED) &&
	       llc->type != bpf_htons(SNAP_IPX) && llc->type != bpf_htons(SNAP_AARP);
}

/* The length is not checked, because receivers do not check it either. NEXT, or a drop reason. */
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
