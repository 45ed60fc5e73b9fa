/* SPDX-License-Identifier: GPL-2.0-only */
/* The VXLAN header, RFC 7348 section 5. */
#ifndef TSW_BPF_TUNNEL_VXLAN_H
#define TSW_BPF_TUNNEL_VXLAN_H

#include <linux/udp.h>

#include "core/base.h"

#define VXLAN_FLAGS 0x08000000U /* I flag: the VNI is valid; all other bits are reserved */
#define VXLAN_SPORT_BASE 49152	/* RFC 7348 section 5: the dynamic ports */
#define VXLAN_SPORT_MASK 0x3fff

struct vxlan {
	__be32 flags;
	__be32 vni; /* 24 bits and a reserved octet */
};

struct vxlan_header {
	struct udphdr udp;
	struct vxlan vxlan;
};

/* The kernel's device drops a frame with any reserved bit set, and so does the switch. */
static __always_inline bool vxlan_is_sound(const struct vxlan *v)
{
	return v->flags == bpf_htonl(VXLAN_FLAGS) && !(v->vni & bpf_htonl(0xff));
}

static __always_inline __u32 vxlan_vni(const struct vxlan *v)
{
	return bpf_ntohl(v->vni) >> 8;
}

#endif
