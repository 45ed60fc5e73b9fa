// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flood's program: run on live frames by BPF_PROG_TEST_RUN, attached nowhere. Each
 * frame is a page that comes back from its receiver as it was, so only what varies is
 * written.
 */
#include <stdbool.h>

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "flood.h"

char _license[] SEC("license") = "GPL";

const volatile struct flood flood;
__u64 sent, due; /* frames; when the next one is, in nanoseconds. One run at a time: no races */

static __always_inline void put16(__u8 *frame, __u32 at, __u32 value)
{
	*(__be16 *)(frame + at) = bpf_htons((__u16)value);
}

static __always_inline void put32(__u8 *frame, __u32 at, __u32 value)
{
	put16(frame, at, value >> 16);
	put16(frame, at + 2, value);
}

/* Is it time for another one? */
static __always_inline bool is_due(void)
{
	__u64 now;

	if (!flood.interval)
		return true;
	now = bpf_ktime_get_ns();
	if (now < due)
		return false;
	/* What was missed while this CPU did other things is made up for by 64 frames at most. */
	due = (due + 64 * flood.interval < now ? now : due) + flood.interval;
	return true;
}

SEC("xdp") int flood_send(struct xdp_md *xdp)
{
	__u8 *frame = (void *)(long)xdp->data;
	__u32 any = bpf_get_prandom_u32(), from, sum;

	if (!is_due() || frame + FLOOD_HEADERS > (__u8 *)(long)xdp->data_end)
		return XDP_DROP;
	from = flood.from | (any & flood.from_any);
	put32(frame, flood.from_at, from);
	if (flood.check_at) { /* RFC 1071 */
		sum = flood.check + (from >> 16) + (from & 0xffff);
		sum = (sum >> 16) + (sum & 0xffff);
		put16(frame, flood.check_at, ~(sum + (sum >> 16)));
	}
	any = bpf_get_prandom_u32();
	put32(frame, flood.id_at,
	      (flood.id + (__u32)((__u64)any * flood.ids >> 32)) << flood.id_shift);
	if (flood.sport_at) /* RFC 7348 section 5: 49152 and above */
		put16(frame, flood.sport_at, 0xc000 | any);
	sent++;
	return XDP_TX;
}
