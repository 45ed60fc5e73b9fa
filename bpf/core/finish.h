/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of each tc program: a drop is counted, and the verdict becomes an action. */
#ifndef TSW_BPF_CORE_FINISH_H
#define TSW_BPF_CORE_FINISH_H

#include <linux/pkt_cls.h>

#include "core/drop.h"

static __always_inline struct frame_id frame_id(struct __sk_buff *skb, enum tsw_direction dir)
{
	return (struct frame_id){.direction = dir, .size = {.packets = 1, .bytes = skb->len}};
}

/* PASS becomes UNSPEC, not OK, so that other programs after ours still run. */
static __always_inline int finish(const struct frame_id *id, int verdict)
{
	if (verdict == PASS)
		return TC_ACT_UNSPEC;
	if (verdict == REDIRECT || verdict == UP)
		return TC_ACT_REDIRECT;
	if (verdict < 0)
		count_drop(id, -verdict);
	return TC_ACT_SHOT;
}

#endif
