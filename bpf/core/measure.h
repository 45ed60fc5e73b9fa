/* SPDX-License-Identifier: GPL-2.0-only */
/* The size of a super-frame on the wire: its longest packet, and all frames together. */
#ifndef TSW_BPF_CORE_MEASURE_H
#define TSW_BPF_CORE_MEASURE_H

#include "core/kernel_skb.h"
#include "core/parse.h"

#define GSO_BY_FRAGS 0xffff /* the kernel's, of include/linux/skbuff.h */

static __always_inline __u32 measure_tcp(struct __sk_buff *skb, __u32 l4)
{
	__u8 doff = 0;

	bpf_skb_load_bytes(skb, l4 + 12, &doff, sizeof(doff));
	return (doff >> 4) * 4;
}

/*
 * Octets before each segment's payload, if the sender has put the frame into a tunnel of its own.
 * The kernel cuts the inner packet, so outer and inner headers are in each segment. headers: the
 * value without a tunnel. Not inlined, to save stack.
 */
static __noinline __u32 measure_inner(struct __sk_buff *skb, const struct frame *f, __u32 headers)
{
	bool tcp;
	const __u32 inner = kernel_skb_inner_l4(skb, &tcp);
	const __u32 whole =
		inner - f->base + (tcp ? measure_tcp(skb, inner) : sizeof(struct udphdr));

	return inner > f->l4 && whole <= skb->len - f->base ? whole : headers;
}

static __always_inline __u32 measure_headers(struct __sk_buff *skb, const struct frame *f)
{
	const bool tcp = f->proto == IPPROTO_TCP;
	const __u32 headers =
		f->l4 - f->base + (tcp ? measure_tcp(skb, f->l4) : sizeof(struct udphdr));

	return kernel_skb_has_inner(skb, tcp) ? measure_inner(skb, f, headers) : headers;
}

static __always_inline void frame_measure(struct __sk_buff *skb, struct frame *f,
					  struct tsw_counter *size)
{
	__u32 len = skb->len - f->base, gso_size = skb->gso_size, headers, count;

	f->l3_len = len - ETH_HLEN;
	*size = (struct tsw_counter){.packets = 1, .bytes = len};
	if (!gso_size || !f->l4)
		return;
	headers = measure_headers(skb, f);
	if (headers > len)
		return;
	/* SCTP's segments differ in length. SCTP has fitted them to its path. */
	if (gso_size == GSO_BY_FRAGS)
		gso_size = 0;
	if (headers + gso_size < len)
		f->l3_len = headers + gso_size - ETH_HLEN;
	/* A guest gives no count, and the kernel's field has 16 bits. GRO may leave one segment. */
	count = skb->gso_segs;
	if (gso_size && count < (len - headers) / gso_size)
		count = (len - headers + gso_size - 1) / gso_size;
	if (count > 1)
		*size = (struct tsw_counter){.packets = count,
					     .bytes = len + (count - 1ULL) * headers};
}

#endif
