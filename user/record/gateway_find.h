/* SPDX-License-Identifier: GPL-2.0-only */
/* A gateway in the maps. */
#ifndef TSW_GATEWAY_FIND_H
#define TSW_GATEWAY_FIND_H

#include <stdbool.h>

#include <tsw/object.h>

#include "store/tsw.h"

/* -ENOENT without a message. */
int gateway_get(const struct tsw *t, __u32 tenant, struct tsw_gateway *gw);

/* -ENOENT with one. */
int gateway_find(const struct tsw *t, const struct tsw_name *tenant, __u32 *id,
		 struct tsw_gateway *gw);

bool gateway_is_served(const struct tsw_gateway *gw); /* by this host, now */

/* Served here, or one of its ranks is this host: what it needs is here. */
bool gateway_is_ready(const struct tsw_gateway *gw);

/* Is that host, 0 for this one, one of those that are to serve it? */
bool gateway_has_rank(const struct tsw_gateway *gw, __u32 host);

/* Which of its hosts serves it now, as this host sees it: 1 is the first; 0: each its own. */
__u32 gateway_rank(const struct tsw_gateway *gw);

/* Has it a resolver, of either family? */
bool gateway_asks_on(const struct tsw_gateway *gw);

/* All its fields but its hosts and `drain`, from its entry in the map. */
void gateway_to_spec(const struct tsw_gateway *gw, struct tsw_gateway_spec *spec);

/* The same fields, into an entry that keeps the rest. */
void gateway_from_spec(const struct tsw_gateway_spec *spec, struct tsw_gateway *gw);

/* Writes those of SPEC's fields that are in the mask GIVEN into the entry. */
void gateway_take(const struct tsw_gateway_spec *spec, __u64 given, struct tsw_gateway *gw);

/* Does each of its words go with the others? -EINVAL: it does not. */
int gateway_agrees(const struct tsw_gateway_spec *spec);

/* The hosts alone: each once. */
int gateway_hosts_agree(const struct tsw_gateway_spec *spec);

bool gateway_has(const struct tsw_gateway *gw, const struct tsw_addr *addr);

#endif
