/* SPDX-License-Identifier: GPL-2.0-only */
/* What a tenant's endpoints boot from. The command writes the options as messages have them. */
#ifndef TSW_BPF_ANSWER_BOOT_H
#define TSW_BPF_ANSWER_BOOT_H

#include "core/base.h"

TSW_HASH(tsw_boot, __u32, struct tsw_boot);

/* NULL: the tenant has no boot server of that family. */
static __always_inline struct tsw_boot *boot_get(__u32 tenant, enum tsw_family family)
{
	struct tsw_boot *boot = bpf_map_lookup_elem(&tsw_boot, &tenant);

	return boot && boot->len[family] ? boot : NULL;
}

#endif
