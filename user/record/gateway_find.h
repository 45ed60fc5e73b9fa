/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds a tenant's gateway in the maps, and converts it to and from its specification. */
#ifndef TSW_GATEWAY_FIND_H
#define TSW_GATEWAY_FIND_H

#include <stdbool.h>

#include <tsw/object.h>

#include "store/tsw.h"

/* Reads the tenant's gateway; -ENOENT without a message. */
int gateway_get(const struct tsw *t, __u32 tenant, struct tsw_gateway *gw);

/* The same by the tenant's name, and sets *ID; -ENOENT with a message. */
int gateway_find(const struct tsw *t, const struct tsw_name *tenant, __u32 *id,
		 struct tsw_gateway *gw);

bool gateway_is_served(const struct tsw_gateway *gw); /* by this host, now */

/* Whether this host serves it or is one of its ranks, and so has what the gateway needs. */
bool gateway_is_ready(const struct tsw_gateway *gw);

/* Whether HOST is one of its ranks; 0: this host. */
bool gateway_has_rank(const struct tsw_gateway *gw, __u32 host);

/* Seconds for which the former host still keeps its flows. */
__u32 gateway_drains(const struct tsw_gateway *gw);

/* The rank of the host that serves it now, as this host knows, from 1. 0: each host serves it. */
__u32 gateway_rank(const struct tsw_gateway *gw);

/* What a tenant's gateway has unless something else is asked for. */
struct tsw_gateway_spec gateway_defaults(__u32 tenant);

/* Sets all fields of SPEC except the hosts and `drain` from the gateway's entry. */
void gateway_to_spec(const struct tsw_gateway *gw, struct tsw_gateway_spec *spec);

/* Writes the same fields into the entry. The other members are kept. */
void gateway_from_spec(const struct tsw_gateway_spec *spec, struct tsw_gateway *gw);

/* Writes only the fields of SPEC in the mask GIVEN into the entry. */
void gateway_take(const struct tsw_gateway_spec *spec, __u64 given, struct tsw_gateway *gw);

/* -EINVAL: its settings contradict each other. */
int gateway_agrees(const struct tsw_gateway_spec *spec);

/* -EINVAL: a host is named twice, or beside `none`. */
int gateway_hosts_agree(const struct tsw_gateway_spec *spec);

/* Whether ADDR is one of the gateway's own addresses. */
bool gateway_has(const struct tsw_gateway *gw, const struct tsw_addr *addr);

#endif
