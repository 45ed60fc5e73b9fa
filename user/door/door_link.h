/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two veth pairs between the switch's network namespace and its router's: tsw-gw, by which
 * tenants' frames go in and out, and tsw-up, by which the world's do. The ends in the router always
 * have these names, and an index of their own; the others a number behind the name where another
 * switch, or somebody else, has it already.
 */
#ifndef TSW_DOOR_LINK_H
#define TSW_DOOR_LINK_H

#include <jansson.h>

#include "kernel/link.h"

#define DOOR "tsw-gw"

enum pair { PAIR_GATEWAY, PAIR_UPLINK, PAIRS };

/* Of the ends in the router. */
enum { ROUTER_GATEWAY = TSW_ROUTER_GATEWAY, ROUTER_UPLINK = TSW_ROUTER_UPLINK };

/* What a pair is to be. */
struct door_link {
	const char *instance;
	enum pair pair;
	__u32 ifindex; /* where it was found last, or 0 */
	__s32 nsid;    /* of the router */
	__u32 mtu;     /* 0: as it is */
};

/*
 * The end that is not in the router; also one that a killed command left half made. -ENOENT without
 * message: there is none.
 */
int door_link_find(const struct door_link *want, struct link *link);

/* The pair of ABI 7, of which both ends are here; -ENOENT without message. */
int door_link_old(const char *instance, struct link *link);

/* Made, or what is there put right: alias, settings, MTU, up. The router is registered. */
int door_link_mend(const struct door_link *want, struct link *link);

/* Appends what is not as it should be. */
void door_link_check(const struct door_link *want, const struct link *link, json_t *problems);

#endif
