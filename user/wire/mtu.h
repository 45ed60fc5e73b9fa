/* SPDX-License-Identifier: GPL-2.0-only */
/* What the underlay leaves of its MTU to tenants. */
#ifndef TSW_MTU_H
#define TSW_MTU_H

#include "store/tsw.h"

/* The largest MTU that the way to each host leaves a tenant now; 0: not known. */
int tenant_mtu_limit(struct tsw *t, enum tsw_encap encap, __u32 *limit);

/* What its endpoints must use: as wide as was ASKED, never wider than fits now. */
__u32 tenant_mtu(__u32 asked, __u32 limit);

#endif
