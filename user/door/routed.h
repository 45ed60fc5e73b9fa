/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The networks of gateways with `nat off` that this host serves, and networks behind endpoints of
 * these tenants. Each has a route in the host's main table, which a routing daemon can announce;
 * protocol and device mark it as ours. The map tsw_routed tells the programs to send these
 * networks' packets to the router.
 */
#ifndef TSW_ROUTED_H
#define TSW_ROUTED_H

#include <jansson.h>

#include <tsw/object.h>

#include "store/tsw.h"

/* Refuses networks of a tenant with WANT that overlap another tenant's, or a route of the host. */
int routed_check(struct tsw *t, __u32 tenant, const struct tsw_gateway *want);

/* The same for networks that come to be behind an endpoint. */
int routed_check_behind(struct tsw *t, __u32 tenant, const struct tsw_prefix_list *want);

/* Adds and removes routes and entries of the map. OLD and WANT may be NULL. */
int routed_change(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		  const struct tsw_gateway *want);

/* The same for networks behind an endpoint. OLD and WANT may be NULL. */
int routed_change_behind(struct tsw *t, __u32 tenant, const struct tsw_prefix_list *old,
			 const struct tsw_prefix_list *want);

/* Appends a problem for each route that is missing or does not belong there. */
int routed_verify(struct tsw *t, json_t *problems);

/* Repairs only the map. */
int routed_note(struct tsw *t);

/* Repairs the map and all routes. */
int routed_mend(struct tsw *t);

#endif
