/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ports repeat of their tenant's flags, so that a frame asks its port alone whether there is a
 * policy to look up, or a flow to count.
 */
#ifndef TSW_PORT_FLAGS_H
#define TSW_PORT_FLAGS_H

#include "store/tsw.h"

/* Those that a port of that tenant is to have. */
int port_flags_of(const struct tsw *t, __u32 tenant, __u32 *flags);
/* FLAG of all ports of the tenant. */
int port_flags_put(const struct tsw *t, __u32 tenant, __u32 flag, bool on);
/* All ports' are as their tenants have it. */
int port_flags_settle(const struct tsw *t);

#endif
