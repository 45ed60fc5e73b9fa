/* SPDX-License-Identifier: GPL-2.0-only */
/* The Geneve header, RFC 8926 section 3.4. The switch sends no options, and knows none. */
#ifndef TSW_BPF_TUNNEL_GENEVE_H
#define TSW_BPF_TUNNEL_GENEVE_H

#include <linux/if_ether.h>
#include <linux/udp.h>

#include "core/base.h"

#define GENEVE_VERSION 0xc000  /* 0 is the only version */
#define GENEVE_CONTROL 0x0080  /* O: for the tunnel's end itself */
#define GENEVE_CRITICAL 0x0040 /* C: at least one option must be known */
#define GENEVE_WORDS 0x3f00    /* length of the options in words of four octets */

struct geneve {
	__be16 flags;
	__be16 proto;
	__be32 vni; /* 24 bits and a reserved octet */
};

struct geneve_header {
	struct udphdr udp;
	struct geneve geneve;
};

/*
 * Section 3.4: a frame of an unknown version must be dropped, and a control frame must not be
 * forwarded. Reserved bits are not checked. The payload's type is an Ethertype, and tenants have
 * Ethernet.
 */
static __always_inline bool geneve_is_sound(const struct geneve *g)
{
	return !(g->flags & bpf_htons(GENEVE_VERSION | GENEVE_CONTROL)) &&
	       g->proto == bpf_htons(ETH_P_TEB);
}

/* Section 3.4: with this bit, a receiver that does not know the options must drop the packet. */
static __always_inline bool geneve_is_critical(const struct geneve *g)
{
	return g->flags & bpf_htons(GENEVE_CRITICAL);
}

static __always_inline __u32 geneve_options_len(const struct geneve *g)
{
	return (bpf_ntohs(g->flags) & GENEVE_WORDS) >> 6;
}

static __always_inline __u32 geneve_vni(const struct geneve *g)
{
	return bpf_ntohl(g->vni) >> 8;
}

#endif
