/* SPDX-License-Identifier: GPL-2.0-only */
/* A gateway in the maps. */
#ifndef TSW_GATEWAY_FIND_H
#define TSW_GATEWAY_FIND_H

#include <stdbool.h>

#include <tsw/object.h>

#include "store/tsw.h"

/* -ENOENT without a message. */
int gateway_get(const struct tsw *t, __u32 tenant, struct tsw_gateway *gw);

/* -ENOENT with a message. */
int gateway_find(const struct tsw *t, const struct tsw_name *tenant, __u32 *id,
		 struct tsw_gateway *gw);

bool gateway_is_served(const struct tsw_gateway *gw); /* by this host, now */

/* This host serves it, or is one of its ranks: this host has what the gateway needs. */
bool gateway_is_ready(const struct tsw_gateway *gw);

/* Whether that host, 0 for this one, is one of its ranks. */
bool gateway_has_rank(const struct tsw_gateway *gw, __u32 host);

/* Seconds for which the former host still keeps its flows. */
__u32 gateway_drains(const struct tsw_gateway *gw);

/* The rank of the host that serves it now, as this host knows; 1 is the first. 0: each its own. */
__u32 gateway_rank(const struct tsw_gateway *gw);

/* Whether it has a resolver, of either family. */
bool gateway_asks_on(const struct tsw_gateway *gw);

/* All its fields but its hosts and `drain`, from its entry in the map. */
void gateway_to_spec(const struct tsw_gateway *gw, struct tsw_gateway_spec *spec);

/* Writes the same fields into the entry, which keeps the rest. */
void gateway_from_spec(const struct tsw_gateway_spec *spec, struct tsw_gateway *gw);

/* Writes those of SPEC's fields that are in the mask GIVEN into the entry. */
void gateway_take(const struct tsw_gateway_spec *spec, __u64 given, struct tsw_gateway *gw);

/* -EINVAL: its settings contradict each other. */
int gateway_agrees(const struct tsw_gateway_spec *spec);

/* -EINVAL: a host is named twice, or beside `none`. */
int gateway_hosts_agree(const struct tsw_gateway_spec *spec);

bool gateway_has(const struct tsw_gateway *gw, const struct tsw_addr *addr);

#endif
