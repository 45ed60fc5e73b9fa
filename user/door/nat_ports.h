/* SPDX-License-Identifier: GPL-2.0-only */
/* The source ports for outgoing NAT on this host's own addresses, which the host does not use. */
#ifndef TSW_NAT_PORTS_H
#define TSW_NAT_PORTS_H

#include <jansson.h>

#include "store/tsw.h"

/*
 * The ports that a user set. Otherwise from TSW_NAT_PORT_LOW up to the host's own range, or above
 * that, without the switch's own ports.
 */
struct tsw_port_range nat_ports_want(const struct tsw *t);

/* The larger part of RANGE without N ports from FIRST on. */
struct tsw_port_range nat_ports_without(struct tsw_port_range range, __u32 first, __u32 n);

/* The router's present ports, or without a router those that it would get. */
struct tsw_port_range nat_ports_now(const struct tsw *t);

/* Sets the ports for the table that is loaded next. */
void nat_ports_choose(const struct tsw *t);

/* Gives the router these ports if it has others. AFRESH: its table was loaded with them. */
int nat_ports_put(struct tsw *t, bool afresh);

/* Does the router need other ports, since the host's range has changed? */
bool nat_ports_are_old(const struct tsw *t);

/*
 * Appends a problem if the host's own connections may use the same ports, or if a socket of the
 * host listens at a published port; and warnings for sockets that use ports of outgoing NAT.
 */
int nat_ports_check(const struct tsw *t, json_t *problems, json_t *warnings);

#endif
