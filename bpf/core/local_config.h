/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tcx link goes along with a device that is moved to another network namespace. There its
 * index, and every index in the maps, is some other device's: nothing may be taken from there.
 * Clsact filters, which older kernels have instead, stay behind.
 */
#ifndef TSW_BPF_CORE_LOCAL_CONFIG_H
#define TSW_BPF_CORE_LOCAL_CONFIG_H

#include "core/config.h"
#include "core/kernel_skb.h"

/* NULL, too, where the frame's device is not in the switch's namespace. */
static __always_inline struct tsw_config *config_local(struct __sk_buff *skb)
{
	struct tsw_config *cfg = config_get();

	return cfg && kernel_skb_is_in(skb, cfg->netns) ? cfg : NULL;
}

#endif
