/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two veth pairs between the switch's network namespace and its router: tsw-gw for tenants'
 * frames, and tsw-up for those of the internet. The ends in the router always have these names and
 * a fixed index. The other ends get a number behind the name if the name is taken.
 */
#ifndef TSW_DOOR_LINK_H
#define TSW_DOOR_LINK_H

#include <jansson.h>

#include "kernel/link.h"

#define DOOR "tsw-gw"

enum pair { PAIR_GATEWAY, PAIR_UPLINK, PAIRS };

/* Indexes of the ends in the router. */
enum { ROUTER_GATEWAY = TSW_ROUTER_GATEWAY, ROUTER_UPLINK = TSW_ROUTER_UPLINK };

/* What a pair should be. */
struct door_link {
	const char *instance;
	enum pair pair;
	__u32 ifindex; /* where it was found last, or 0 */
	__s32 nsid;    /* of the router */
	__u32 mtu;     /* 0: leave it */
};

/*
 * Finds the end that is not in the router, also if a killed command left it unfinished. -ENOENT
 * without message: no such device.
 */
int door_link_find(const struct door_link *want, struct link *link);

/* Finds ABI 7's pair, of which both ends are in this namespace. -ENOENT without message: none. */
int door_link_old(const char *instance, struct link *link);

/* Makes or repairs the pair: alias, settings, MTU, up. The router must be registered. */
int door_link_mend(const struct door_link *want, struct link *link);

/* Appends a problem for each difference. */
void door_link_check(const struct door_link *want, const struct link *link, json_t *problems);

#endif
