/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits of rates: tsw_limits, and the flags in tsw_ports by which programs know of them; of a
 * tenant those of its connections besides, see fair.h.
 */
#ifndef TSW_LIMIT_H
#define TSW_LIMIT_H

#include "record/limits.h"
#include "store/tsw.h"

/* Of a tenant with that encapsulation and MTU, or with the underlay's where that is 0. */
int limits_check(struct tsw *t, __u32 encap, __u32 mtu, const struct tsw_limits *limits);

/* A bucket that stays the same keeps what is in it; a new one is full. */
int limits_put(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
	       const struct tsw_limits *limits);
int limits_drop(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac);

/* Of a port of that tenant, and those of all ports brought up to date; TENANT 0: of all tenants. */
int limits_flags(const struct tsw *t, const struct tsw_port *port, __u32 *flags);
int limits_flag_ports(const struct tsw *t, __u32 tenant);

#endif
