/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The networks of gateways without NAT that are served here: routes of the host's main table,
 * which a routing daemon can tell others. By their protocol and device they are known as ours. The
 * programs know the networks from tsw_routed, and take them to the router.
 */
#ifndef TSW_ROUTED_H
#define TSW_ROUTED_H

#include <jansson.h>

#include "store/tsw.h"

/* Refuses networks of WANT that overlap another tenant's, or a route of the host. */
int routed_check(struct tsw *t, const struct tsw_gateway *old, const struct tsw_gateway *want);

/* Both may be NULL. */
int routed_change(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		  const struct tsw_gateway *want);

/* Appends which are missing, or are there and should not be. */
int routed_verify(struct tsw *t, json_t *problems);

/* What the programs know of them, as it should be; no route is touched. */
int routed_note(struct tsw *t);

/* All of them as they should be. */
int routed_mend(struct tsw *t);

#endif
