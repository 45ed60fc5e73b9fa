/* SPDX-License-Identifier: GPL-2.0-only */
/* The MTU that the underlay leaves to tenants. */
#ifndef TSW_MTU_H
#define TSW_MTU_H

#include "store/tsw.h"

/*
 * The MTU of tunnel frames to a host: the least of its route's configured one and its underlay's.
 * 0: neither is known, so the device's counts.
 */
__u32 host_mtu(const struct tsw *t, __u32 route, __u32 told);

/* The largest MTU for a tenant that fits on the way to each host now; 0: not known. */
int tenant_mtu_limit(struct tsw *t, enum tsw_encap encap, __u32 *limit);
/* The same with each encapsulation. */
int tenant_mtu_limits(struct tsw *t, __u32 limit[TSW_ENCAPS]);

/* The MTU for the tenant's endpoints: what was ASKED, but at most LIMIT. */
__u32 tenant_mtu(__u32 asked, __u32 limit);

#endif
