/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tcx link moves with its device to another network namespace. There, every index in the maps
 * means another device, so no frame may be taken. Clsact filters, which older kernels have instead,
 * do not move along.
 */
#ifndef TSW_BPF_CORE_LOCAL_CONFIG_H
#define TSW_BPF_CORE_LOCAL_CONFIG_H

#include "core/config.h"
#include "core/kernel_skb.h"

/* The configuration. NULL, too, if the frame's device is not in the switch's namespace. */
static __always_inline struct tsw_config *config_local(struct __sk_buff *skb)
{
	struct tsw_config *cfg = config_get();

	return cfg && kernel_skb_is_in(skb, cfg->netns) ? cfg : NULL;
}

#endif
