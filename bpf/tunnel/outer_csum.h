/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checksums of the outer headers, which another VTEP may send: UDP's and GRE's (RFC 2784 section
 * 2.1). The switch sends none, so this is off the fast path.
 */
#ifndef TSW_BPF_TUNNEL_OUTER_CSUM_H
#define TSW_BPF_TUNNEL_OUTER_CSUM_H

#include "core/kernel_skb.h"
#include "tunnel/outer.h"

#define CSUM_STEP 64	/* octets summed at once, a multiple of 4 */
#define CSUM_STEPS 1024 /* enough for the longest packet */

struct csum_walk {
	struct __sk_buff *skb;
	__u32 at, end;
	__u32 sum;
};

static long csum_step(__u32 i, struct csum_walk *w)
{
	__be32 octets[CSUM_STEP / 4] = {};
	__u32 len = w->end - w->at;

	if (!len)
		return 1;
	if (len > CSUM_STEP)
		len = CSUM_STEP;
	TSW_KEEP(len); /* the verifier of 6.1 does not see that it is not zero */
	len = ((len - 1) & (CSUM_STEP - 1)) + 1;
	if (bpf_skb_load_bytes(w->skb, w->at, octets, len))
		return 1;
	w->sum = bpf_csum_diff(NULL, 0, octets, sizeof(octets), w->sum);
	w->at += len;
	return 0;
}

/* Sums the octets [at, end). at is an even number of octets after the sum's begin. */
static __always_inline __u32 csum_octets(struct __sk_buff *skb, __u32 at, __u32 end, __u32 sum)
{
	struct csum_walk w = {.skb = skb, .at = at, .end = end, .sum = sum};

	bpf_loop(CSUM_STEPS, csum_step, &w, 0);
	return w.sum;
}

/* Offset of the inner packet's checksum; 0: it has none that a device would write. */
static __always_inline __u32 csum_inner_at(const struct frame *f)
{
	if (f->l4 && f->proto == IPPROTO_TCP)
		return f->l4 + offsetof(struct tcphdr, check);
	return f->l4 && f->proto == IPPROTO_UDP ? f->l4 + offsetof(struct udphdr, check) : 0;
}

/*
 * A GRE checksum that the sender left to the device (Linux 5.12) is zero on a virtual wire. Before
 * Linux 6.2 such a zero looks like any other.
 */
static __always_inline bool gre_csum_left(struct __sk_buff *skb, __u32 at)
{
	__u16 check;

	if (tsw_has_kern_ctx)
		return kernel_skb_csum_at(skb) == (int)at;
	return !bpf_skb_load_bytes(skb, at, &check, sizeof(check)) && !check;
}

/*
 * Checks the checksum, if there is one. On a virtual wire a checksum that was left to a device is
 * right, too. UDP's own is the pseudo-header's sum then. If the inner checksum is still to be
 * written, the outer one counts the inner packet by its final sum. GRO has checked a super-frame,
 * or it is yet to be cut.
 */
static __noinline int outer_csum(struct __sk_buff *skb, const struct tsw_config *cfg,
				 const struct tunnel *t, const struct frame *f)
{
	__u32 l4 = ETH_HLEN + t->l4, end = ETH_HLEN + t->end, pseudo = 0, head, at;
	__u16 check;

	if (skb->gso_size || bpf_csum_level(skb, BPF_CSUM_LEVEL_QUERY) >= 0)
		return NEXT;
	if (t->encap != TSW_ENCAP_GRE) {
		pseudo = ipv6_pseudo_sum(&t->from, &cfg->local[t->family & 1], end - l4,
					 IPPROTO_UDP);
		if (!bpf_skb_load_bytes(skb, l4 + offsetof(struct udphdr, check), &check, 2) &&
		    check == (__u16)~csum_fold(pseudo))
			return NEXT;
	} else if (gre_csum_left(skb, l4 + sizeof(struct gre))) {
		return NEXT;
	}
	at = csum_inner_at(f);
	head = csum_octets(skb, l4, at ? f->l4 : end, pseudo);
	if (at && !bpf_skb_load_bytes(skb, at, &check, 2) &&
	    !csum_fold((__u16)~csum_fold(head) + (__u16)~check))
		return NEXT;
	return csum_fold(at ? csum_octets(skb, f->l4, end, head) : head)
		       ? drop(TSW_DROP_BAD_CHECKSUM)
		       : NEXT;
}

#endif
