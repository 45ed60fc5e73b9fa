/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that another VTEP put after its Geneve header, RFC 8926 section 3.5. */
#ifndef TSW_BPF_TUNNEL_GENEVE_OPTIONS_H
#define TSW_BPF_TUNNEL_GENEVE_OPTIONS_H

#include "core/drop.h"
#include "tunnel/outer.h"

#define GENEVE_OPTIONS_MAX 63	    /* each option has at least one word */
#define GENEVE_OPTION_CRITICAL 0x80 /* a bit of its type */
#define GENEVE_OPTION_WORDS 0x1f    /* words after its head */

struct geneve_option {
	__be16 class;
	__u8 type;
	__u8 len; /* with three reserved bits */
};

/*
 * Checks the options, none of which the switch knows. An option that may be ignored is skipped. A
 * critical one drops the packet, even if the sender forgot the header's C bit. Options that do not
 * end where the header says make it invalid. Global, so that the verifier goes through it once; off
 * the fast path.
 */
__noinline int tsw_geneve_options(struct __sk_buff *skb, const struct tunnel *t)
{
	struct geneve_option option;
	__u32 at, end;

	if (!t)
		return drop(TSW_DROP_INTERNAL);
	at = ETH_HLEN + t->l4 + sizeof(struct geneve_header);
	end = ETH_HLEN + t->inner;
	for (int i = 0; i < GENEVE_OPTIONS_MAX && at < end; i++) {
		if (bpf_skb_load_bytes(skb, at, &option, sizeof(option)))
			return drop(TSW_DROP_TRUNCATED);
		if (option.type & GENEVE_OPTION_CRITICAL)
			return drop(TSW_DROP_CRITICAL_OPTION);
		at += sizeof(option) + (option.len & GENEVE_OPTION_WORDS) * 4;
	}
	return at == end ? NEXT : drop(TSW_DROP_BAD_TUNNEL_HEADER);
}

#endif
