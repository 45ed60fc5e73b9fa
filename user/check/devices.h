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

#endif
