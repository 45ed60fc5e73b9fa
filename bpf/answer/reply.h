/* SPDX-License-Identifier: GPL-2.0-only */
/* Room for answers that are too long for the stack, and their way back. */
#ifndef TSW_BPF_ANSWER_REPLY_H
#define TSW_BPF_ANSWER_REPLY_H

#include <linux/if_ether.h>

#include "core/checksum.h"
#include "core/deliver.h"

#define REPLY_ROOM 640
#define REPLY_MOST 600 /* octets of the longest frame that is sent from there */
/* After it: the request, and the lease. */
#define REPLY_ASKED REPLY_ROOM
#define REPLY_LEASE (REPLY_ASKED + 96)
/* A DNS question, and its name as text. */
#define REPLY_QUERY 288
#define REPLY_QUERY_AT (REPLY_LEASE + 64)
#define REPLY_TEXT 256
#define REPLY_TEXT_AT (REPLY_QUERY_AT + REPLY_QUERY)
#define REPLY_KEY (REPLY_TEXT_AT + REPLY_TEXT) /* the key to look its endpoint up */
#define REPLY_BUSY (REPLY_KEY + 72)
#define REPLY_END (REPLY_BUSY + sizeof(__u64))

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[REPLY_END / 8]);
} tsw_reply TSW_MAP;

/* It still holds the last answer, so its user must fill all octets that it sends. */
static __always_inline void *reply_room(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&tsw_reply, &zero);
}

/*
 * A part of the room. Results of a walk by bpf_loop() are kept here and not on the stack. Until 6.7
 * the verifier goes through one turn of a loop. So it treats values on the stack that only two
 * turns can make as impossible, and the code for them as dead. It knows nothing of a map's values.
 */
static __always_inline void *reply_at(__u32 off)
{
	void *room = reply_room();

	if (!room)
		return NULL;
	TSW_KEEP(room); /* the addition must follow the comparison */
	return room + off;
}

/*
 * Claims the room. False: it is in use. Where softirqs may be preempted (PREEMPT_RT), and in a run
 * by BPF_PROG_TEST_RUN, another frame may come to this CPU before an answer is complete. It would
 * get another tenant's answer.
 */
static __always_inline bool reply_claim(void)
{
	__u64 *busy = reply_at(REPLY_BUSY);

	return busy && !__sync_val_compare_and_swap(busy, 0, 1);
}

static __always_inline void reply_release(void)
{
	__u64 *busy = reply_at(REPLY_BUSY);

	if (busy)
		*busy = 0;
}

/*
 * Copies len octets of the frame, 1 to max, to an answer. The addition shows the verifier (6.1)
 * that len is not 0. 0, or an error.
 */
static __always_inline int reply_copy(struct __sk_buff *skb, __u32 off, void *to, __u64 len,
				      __u32 max)
{
	__u64 more = len - 1;

	TSW_KEEP(more);
	return more < max ? bpf_skb_load_bytes(skb, off, to, more + 1) : -1;
}

#define REPLY_ADD 256 /* octets at `from` */

struct reply_add {
	const __u8 *from; /* in a map's value */
	__u32 first, at;  /* where the octets begin there, and in the room */
};

static long reply_add_walk(__u32 i, struct reply_add *a)
{
	__u64 first = a->first + i, at = a->at + i;
	__u8 *room = reply_room();

	if (!room || first >= REPLY_ADD || at >= REPLY_ROOM)
		return 1;
	room[at] = a->from[first];
	return 0;
}

/* Adds len octets to an answer, one by one, because the verifier does not know how many. */
static __noinline void reply_add(const struct reply_add *what, __u32 len)
{
	struct reply_add a = *what;

	bpf_loop(len, reply_add_walk, &a, 0);
}

/* Replaces the frame's content with the reply. */
static __noinline int reply_write(struct __sk_buff *skb, const void *reply, __u32 len)
{
	if (len < ETH_HLEN || len > REPLY_MOST)
		return drop(TSW_DROP_INTERNAL);
	if (bpf_skb_change_tail(skb, len + CSUM_CUT, 0) || csum_cut(skb) ||
	    bpf_skb_store_bytes(skb, 0, reply, len, BPF_F_INVALIDATE_HASH))
		return drop(TSW_DROP_INTERNAL);
	return NEXT;
}

/* Replaces the frame's content and sends it back into its port. */
static __always_inline int reply_send(struct __sk_buff *skb, const struct tsw_config *cfg,
				      const struct tsw_port *port, const void *reply, __u32 len)
{
	int verdict = reply_write(skb, reply, len);

	return verdict == NEXT ? deliver_answer(skb, cfg, port->tenant, skb->ifindex) : verdict;
}

#endif
