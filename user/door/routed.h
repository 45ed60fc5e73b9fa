/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The networks of gateways without NAT that are served here: routes of the host's main table,
 * which a routing daemon can tell others. By their protocol and device they are known as ours.
 */
#ifndef TSW_ROUTED_H
#define TSW_ROUTED_H

#include <jansson.h>

#include "store/tsw.h"

/* Refuses networks of WANT that overlap another tenant's, or a route of the host. */
int routed_check(struct tsw *t, const struct tsw_gateway *old, const struct tsw_gateway *want);

/* Both may be NULL. */
int routed_change(struct tsw *t, const struct tsw_gateway *old, const struct tsw_gateway *want);

/* Appends which are missing, or are there and should not be. */
int routed_verify(struct tsw *t, json_t *problems);

/* All of them as they should be. */
int routed_mend(struct tsw *t);

#endif
