/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts dropped frames. */
#ifndef TSW_BPF_CORE_DROP_H
#define TSW_BPF_CORE_DROP_H

#include "core/stats.h"

TSW_PERCPU_HASH(tsw_drops, struct tsw_drop_key, struct tsw_counter);

/* Notes about a frame that last to the program's end. */
struct frame_id {
	__u32 tenant; /* 0: not known */
	enum tsw_direction direction;
	struct tsw_counter size;
	__u64 frame;	    /* number of the frame for watchers (watch/watchers.h); 0: none */
	__u32 out;	    /* ifindex of the device that it was sent to; 0: not yet */
	__u8 matched;	    /* slots of the watchers whose filter it passed */
	__u8 watched;	    /* slots of those who see it */
	__u8 flow;	    /* number of the note about its flow (watch/flows.h); 0: none */
	bool egress : 1;    /* the program is at an egress, where redirect_peer is not possible */
	bool in_router : 1; /* the program is in the router's namespace */
	bool audited : 1;   /* only the policy's audit mode lets it pass */
};

static __always_inline void count_drop(const struct frame_id *id, enum tsw_drop reason)
{
	struct tsw_drop_key key = {
		.tenant = id->tenant, .reason = reason, .direction = id->direction};
	struct tsw_counter *c = bpf_map_lookup_elem(&tsw_drops, &key);

	if (!c) {
		/* The first drop of its kind. Another CPU may be faster, so look again. */
		struct tsw_counter zero = {};

		bpf_map_update_elem(&tsw_drops, &key, &zero, BPF_NOEXIST);
		c = bpf_map_lookup_elem(&tsw_drops, &key);
	}
	if (c)
		counter_add(c, &id->size);
}

#endif
