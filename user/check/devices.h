/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks that the devices exist, are set up right, and have the switch's programs. */
#ifndef TSW_CHECK_DEVICES_H
#define TSW_CHECK_DEVICES_H

#include <jansson.h>

#include "record/snapshot.h"
#include "store/tsw.h"

int check_underlays(struct tsw *t, json_t *problems);
void check_tunnels(struct tsw *t, json_t *problems);
void check_routes(struct tsw *t, const struct snapshot *s, json_t *problems, json_t *warnings);
int check_ports(struct tsw *t, const struct snapshot *s, json_t *problems, json_t *warnings);

/*
 * Finds only ports whose programs are detached, in much less time. HEARD: filters may have changed,
 * of which the kernel tells; it does not tell of links.
 */
int check_port_programs(struct tsw *t, const struct snapshot *s, bool heard, json_t *problems);

#endif
