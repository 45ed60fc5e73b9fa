/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting what was dropped. */
#ifndef TSW_BPF_CORE_DROP_H
#define TSW_BPF_CORE_DROP_H

#include "core/stats.h"

TSW_PERCPU_HASH(tsw_drops, struct tsw_drop_key, struct tsw_counter);

/* What a program knows of the frame all the way to its end. */
struct frame_id {
	__u32 tenant; /* 0: not known */
	enum tsw_direction direction;
	struct tsw_counter size;
	__u64 frame;	 /* its number for who watches (watch/watch.h); 0: it was not begun with */
	__u32 out;	 /* ifindex of where it was sent; 0: not yet */
	__u8 matched;	 /* slots of watchers whose filter it passed */
	__u8 watched;	 /* those of them who see it */
	__u8 flow;	 /* number of what is noted of its flow, see watch/flows.h; 0: nothing is */
	bool egress : 1; /* the program runs where frames are sent: no redirect_peer from there */
	bool in_router : 1; /* it runs in the router's namespace */
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

#endif
