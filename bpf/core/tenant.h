/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_BPF_CORE_TENANT_H
#define TSW_BPF_CORE_TENANT_H

#include "core/base.h"

TSW_HASH(tsw_tenants, __u32, struct tsw_tenant);

static __always_inline struct tsw_tenant *tenant_get(__u32 tenant)
{
	return bpf_map_lookup_elem(&tsw_tenants, &tenant);
}

#endif
