/* SPDX-License-Identifier: GPL-2.0-only */
/* By which ports tenants leave as an address of this host's: such as the host itself does not. */
#ifndef TSW_NAT_PORTS_H
#define TSW_NAT_PORTS_H

#include <jansson.h>

#include "store/tsw.h"

/*
 * What was asked for; else what there is, until the host's own range moves into it; else from
 * TSW_NAT_PORT_LOW up to that range.
 */
struct tsw_port_range nat_ports_want(const struct tsw *t);

/* Appends that the host's own flows may have the same ports. */
void nat_ports_check(const struct tsw *t, json_t *problems);

#endif
