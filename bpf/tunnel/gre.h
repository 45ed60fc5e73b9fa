/* SPDX-License-Identifier: GPL-2.0-only */
/* The GRE header with key, RFC 2784 and RFC 2890. */
#ifndef TSW_BPF_TUNNEL_GRE_H
#define TSW_BPF_TUNNEL_GRE_H

#include "core/base.h"

#define GRE_CSUM 0x8000
#define GRE_ROUTING 0x4000 /* RFC 1701's; reserved since RFC 2784 */
#define GRE_KEY 0x2000
#define GRE_SEQUENCE 0x1000
#define GRE_VERSION 0x0007 /* 1 is PPTP's, RFC 2637 */
#define GRE_KNOWN (GRE_CSUM | GRE_KEY | GRE_SEQUENCE)

#define ETH_P_TEB 0x6558 /* transparent Ethernet bridging */

struct gre {
	__be16 flags;
	__be16 proto;
};

/* As the switch writes it. */
struct gre_header {
	struct gre gre;
	__be32 key;
};

/* Ethernet with a key. A host's other GRE does not look like this. */
static __always_inline bool gre_has_tenant(const struct gre *gre)
{
	return gre->proto == bpf_htons(ETH_P_TEB) && gre->flags & bpf_htons(GRE_KEY) &&
	       !(gre->flags & bpf_htons(GRE_VERSION));
}

/* Octets before the key. A checksum or routing adds four. */
static __always_inline __u32 gre_key_offset(const struct gre *gre)
{
	return gre->flags & bpf_htons(GRE_CSUM | GRE_ROUTING) ? 8 : 4;
}

static __always_inline __u32 gre_len(const struct gre *gre)
{
	return gre_key_offset(gre) + 4 + (gre->flags & bpf_htons(GRE_SEQUENCE) ? 4 : 0);
}

/* RFC 2784 section 2.3: these are all reserved bits that a receiver must check. */
static __always_inline bool gre_is_sound(const struct gre *gre)
{
	return !(gre->flags & bpf_htons((__u16)~GRE_KNOWN));
}

#endif
