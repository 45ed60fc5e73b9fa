/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flags that ports copy from their tenant and endpoint. By them a program knows from the port
 * alone whether to look up a policy, to count a flow, or to look for inner MACs.
 */
#ifndef TSW_PORT_FLAGS_H
#define TSW_PORT_FLAGS_H

#include "store/tsw.h"

/* *FLAGS: those of the port. */
int port_flags_of(const struct tsw *t, const struct tsw_port *port, __u32 *flags);
/* Turns FLAG on or off in all ports of the tenant. */
int port_flags_put(const struct tsw *t, __u32 tenant, __u32 flag, bool on);
/* After a kill: sets these flags of all ports. */
int port_flags_settle(const struct tsw *t);

#endif
