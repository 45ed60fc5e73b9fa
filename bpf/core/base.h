/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The base of all other headers: the return contract, maps, and the one way to make octets of a
 * frame readable.
 */
#ifndef TSW_BPF_CORE_BASE_H
#define TSW_BPF_CORE_BASE_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include <tsw/abi.h>

/* From Linux 6.3; the UAPI headers of 6.1 lack them. */
#ifndef BPF_F_ADJ_ROOM_DECAP_L3_IPV6
#define BPF_F_ADJ_ROOM_DECAP_L3_IPV4 (1ULL << 7)
#define BPF_F_ADJ_ROOM_DECAP_L3_IPV6 (1ULL << 8)
#endif

/*
 * Return contract: a step gives one of these verdicts, or a negative drop
 * reason made by drop(). finish() of finish.h alone turns it into an action.
 */
enum verdict {
	PASS,	  /* not ours: on to the next program, untouched */
	REDIRECT, /* bpf_redirect*() has been called */
	CONSUMED, /* the frame ends here and is no drop: copies were sent, or it was a probe */
	NEXT,	  /* not decided yet: go on with the next step */
	GATEWAY,  /* the tenant's gateway gets it, in a step of its own */
	UP,	  /* PASS, by another device: bpf_redirect() has been called */
};

static __always_inline int drop(enum tsw_drop reason)
{
	return -(int)reason;
}

/* Both objects include the headers with the maps. Weak symbols let the linker merge them. */
#define TSW_MAP SEC(".maps") __weak

/* The command sets the number of entries at load. Memory is taken as entries come. */
#define TSW_HASH(name_, key_, value_)                 \
	struct {                                      \
		__uint(type, BPF_MAP_TYPE_HASH);      \
		__uint(max_entries, 1);               \
		__uint(map_flags, BPF_F_NO_PREALLOC); \
		__type(key, key_);                    \
		__type(value, value_);                \
	} name_ TSW_MAP

#define TSW_PERCPU_HASH(name_, key_, value_)            \
	struct {                                        \
		__uint(type, BPF_MAP_TYPE_PERCPU_HASH); \
		__uint(max_entries, 1);                 \
		__uint(map_flags, BPF_F_NO_PREALLOC);   \
		__type(key, key_);                      \
		__type(value, value_);                  \
	} name_ TSW_MAP

#define TSW_SINGLE(name_, value_)                 \
	struct {                                  \
		__uint(type, BPF_MAP_TYPE_ARRAY); \
		__uint(max_entries, 1);           \
		__type(key, __u32);               \
		__type(value, value_);            \
	} name_ TSW_MAP

/*
 * The bounds of a frame, read as pointers at once. The compiler may copy the 32-bit field by a
 * 32-bit move, and then the verifier (all kernels) loses the pointer.
 */
#define TSW_BOUND(ctx_, type_, field_)                                   \
	({                                                               \
		void *bound_;                                            \
		asm volatile("%0 = *(u32 *)(%1 + %2)"                    \
			     : "=r"(bound_)                              \
			     : "r"(ctx_), "i"(offsetof(type_, field_))); \
		bound_;                                                  \
	})
#define skb_data(skb) TSW_BOUND(skb, struct __sk_buff, data)
#define skb_data_end(skb) TSW_BOUND(skb, struct __sk_buff, data_end)

/*
 * Makes the compiler use this variable's value and not compute it again. The verifier (all kernels)
 * knows only the value that was compared.
 */
#define TSW_KEEP(var) asm volatile("" : "+r"(var))

/*
 * Makes len octets of the frame, from off on, readable. NULL: the frame is shorter. A driver may
 * leave only the Ethernet header in the linear part, so missing octets are pulled. No more than
 * these are pulled, because a longer pull can break a frame that GRO chained from whole frames.
 * Older pointers into the frame are void afterwards.
 */
static __always_inline void *frame_at(struct __sk_buff *skb, __u32 off, __u32 len)
{
	void *at = skb_data(skb) + off;

	TSW_KEEP(at);
	if (at + len > skb_data_end(skb)) {
		if (skb->len < off + len || bpf_skb_pull_data(skb, off + len))
			return NULL;
		at = skb_data(skb) + off;
		TSW_KEEP(at);
		if (at + len > skb_data_end(skb))
			return NULL;
	}
	return at;
}

/*
 * Copies len octets of the frame, from off on, that a guard decides on. A sender may still hold the
 * pages of the frame's tail (a packet socket's mapped ring) and write to them later. So the octets
 * are first pulled into the kernel's own part, and that part goes out. 0, or an error.
 */
static __always_inline int frame_read(struct __sk_buff *skb, __u32 off, void *to, __u32 len)
{
	if (skb->len < off + len || bpf_skb_pull_data(skb, off + len))
		return -1;
	return bpf_skb_load_bytes(skb, off, to, len);
}

#endif
