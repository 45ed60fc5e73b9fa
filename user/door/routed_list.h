/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of networks of tenants with `nat off` whose gateway this host serves: the gateway's own
 * networks, and networks behind endpoints that are not within one of those.
 */
#ifndef TSW_ROUTED_LIST_H
#define TSW_ROUTED_LIST_H

#include <tsw/object.h>

#include "store/tsw.h"

struct network {
	struct tsw_prefix at; /* first, by which lists are sorted */
	__u32 tenant;	      /* 0: not known */
};

/* Begins as zeros. */
struct networks {
	struct network *all;
	size_t n;
};

void networks_free(struct networks *list);
#define cleanup_networks __attribute__((cleanup(networks_free)))

int networks_add(struct networks *list, __u32 tenant, const struct tsw_prefix *prefix);

/* Sorts the list, and keeps each network once. */
void networks_sort(struct networks *list);

/* Tells whether the list, which is sorted, has the network. */
bool networks_have(const struct networks *list, const struct tsw_prefix *network);

/* Does this host serve the gateway, without NAT? GW may be NULL. */
bool networks_are_routed(const struct tsw_gateway *gw);

/* Lists, sorted, those of PREFIXES, which are behind an endpoint, that need a route. */
int networks_behind(struct networks *list, __u32 tenant, const struct tsw_gateway *gw,
		    const struct tsw_prefix_list *prefixes);

/* Lists, sorted, all networks of a tenant with the gateway GW, which may be NULL. */
int networks_of(struct tsw *t, __u32 tenant, const struct tsw_gateway *gw, struct networks *list);

/* Lists, sorted, the networks of all tenants. */
int networks_wanted(struct tsw *t, struct networks *list);

#endif
