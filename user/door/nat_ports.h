/* SPDX-License-Identifier: GPL-2.0-only */
/* By which ports tenants leave as an address of this host's: such as the host itself does not. */
#ifndef TSW_NAT_PORTS_H
#define TSW_NAT_PORTS_H

#include <jansson.h>

#include "store/tsw.h"

/*
 * What was asked for; else from TSW_NAT_PORT_LOW up to the host's own range, or behind that. What
 * is chosen has none of the switch's own ports in it.
 */
struct tsw_port_range nat_ports_want(const struct tsw *t);

/* The larger part of RANGE that is left without N ports from FIRST on. */
struct tsw_port_range nat_ports_without(struct tsw_port_range range, __u32 first, __u32 n);

/* Those that the router has; without one those that it would get. */
struct tsw_port_range nat_ports_now(const struct tsw *t);

/* For a table that is made next. */
void nat_ports_choose(const struct tsw *t);

/* Makes the router's ports those, where they are others. AFRESH: its table was made with them. */
int nat_ports_put(struct tsw *t, bool afresh);

/* The host's range has moved, so that others are wanted now. */
bool nat_ports_are_old(const struct tsw *t);

/*
 * Appends that the host's own flows may have the same ports; that a socket of the host listens at a
 * published port; and as warnings those that listen among the ports of tenants.
 */
int nat_ports_check(const struct tsw *t, json_t *problems, json_t *warnings);

#endif
