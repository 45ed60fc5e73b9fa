/* SPDX-License-Identifier: GPL-2.0-only */
/* Hashes of frames' fields, and the hash that keeps a flow on one way. */
#ifndef TSW_BPF_CORE_HASH_H
#define TSW_BPF_CORE_HASH_H

#include "core/parse.h"

static __always_inline __u64 hash_mix(__u64 hash, __u64 value)
{
	hash = (hash ^ value) * 0x9fb21c651e98df25ULL;
	return hash ^ hash >> 29;
}

static __always_inline __u64 hash_mix_addr(__u64 hash, const struct tsw_addr *addr)
{
	hash = hash_mix(hash, (__u64)addr->w[0] << 32 | addr->w[1]);
	return hash_mix(hash, (__u64)addr->w[2] << 32 | addr->w[3]);
}

/*
 * The hash of a frame's flow. Most frames have the kernel's own hash, which the socket has set. For
 * others with ports it is made of fields that were read already, which saves the kernel's
 * dissector. It stays on the frame, for queues and for the kernel's tunnel devices.
 */
static __always_inline __u32 flow_hash(struct __sk_buff *skb, const struct frame *f)
{
	__u32 hash = skb->hash;
	__be32 ports;

	if (hash)
		return hash;
	if (f->fragment || (f->proto != IPPROTO_TCP && f->proto != IPPROTO_UDP) ||
	    bpf_skb_load_bytes(skb, f->l4, &ports, sizeof(ports)))
		return bpf_get_hash_recalc(skb);
	hash = hash_mix_addr(hash_mix_addr(ports, &f->src), &f->dst) >> 32;
	bpf_set_hash(skb, hash);
	return hash;
}

#endif
