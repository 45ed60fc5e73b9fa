/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of each program: count what was dropped, turn the verdict into an action. */
#ifndef TSW_BPF_DROP_H
#define TSW_BPF_DROP_H

#include <linux/pkt_cls.h>

#include <tsw/bpf/stats.h>

TSW_PERCPU_HASH(tsw_drops, struct tsw_drop_key, struct tsw_counter);

/* What finish() needs to know about a frame. */
struct frame_id {
	__u32 tenant; /* 0: not known */
	enum tsw_direction direction;
	struct tsw_counter size;
};

static __always_inline void count_drop(const struct frame_id *id, enum tsw_drop reason)
{
	struct tsw_drop_key key = {
		.tenant = id->tenant, .reason = reason, .direction = id->direction};
	struct tsw_counter *c = bpf_map_lookup_elem(&tsw_drops, &key);

	if (!c) {
		/* The first of its kind; another CPU may be first by a hair, so look again. */
		struct tsw_counter zero = {};

		bpf_map_update_elem(&tsw_drops, &key, &zero, BPF_NOEXIST);
		c = bpf_map_lookup_elem(&tsw_drops, &key);
	}
	if (c)
		counter_add(c, &id->size);
}

/* PASS is UNSPEC, not OK: programs of others behind ours still get their turn. */
static __always_inline int finish(const struct frame_id *id, int verdict)
{
	if (verdict == PASS)
		return TC_ACT_UNSPEC;
	if (verdict == REDIRECT)
		return TC_ACT_REDIRECT;
	if (verdict < 0)
		count_drop(id, -verdict);
	return TC_ACT_SHOT;
}

/* The same at XDP, where frames pass or are dropped. */
static __always_inline int finish_xdp(const struct frame_id *id, int verdict)
{
	if (verdict >= 0)
		return XDP_PASS;
	count_drop(id, -verdict);
	return XDP_DROP;
}

#endif
