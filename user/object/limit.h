/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits of rates in tsw_limits, and the flags in tsw_ports by which programs know of them. A
 * tenant also has limits of connections, see fair.h.
 */
#ifndef TSW_LIMIT_H
#define TSW_LIMIT_H

#include "record/limits.h"
#include "store/tsw.h"

/* Checks the limits of a tenant with that encapsulation and MTU; MTU 0: the underlay's. */
int limits_check(struct tsw *t, __u32 encap, __u32 mtu, const struct tsw_limits *limits);

/*
 * Writes the limits of the endpoint with that MAC, or with the MAC limits_tenant the tenant's. A
 * bucket whose rate and depth stay keeps its contents.
 */
int limits_put(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
	       const struct tsw_limits *limits);
int limits_drop(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac);

/* *FLAGS: the port's flags as its limits ask. */
int limits_flags(const struct tsw *t, const struct tsw_port *port, __u32 *flags);
/* Updates the flags of all ports of a tenant; 0: of all tenants. */
int limits_flag_ports(const struct tsw *t, __u32 tenant);

#endif
