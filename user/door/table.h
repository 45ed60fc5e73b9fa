/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The router's ways: default routes, each in a table of its own. All that follows happens during a
 * visit to the router, see netns.h.
 */
#ifndef TSW_TABLE_H
#define TSW_TABLE_H

#include <jansson.h>

#include <tsw/abi.h>

enum {
	TABLE_NUMBER = 7450,  /* to tenants */
	TABLE_UPLINKS = 7000, /* and the slot: to the world by that uplink */
	TABLE_PROTOCOL = 116, /* of rules and routes that are ours */
};

struct way {
	__u32 table;
	__u32 ifindex;			   /* 0: nowhere, which is said to whoever asks */
	__u32 mtu;			   /* 0: the device's */
	struct tsw_addr src[TSW_FAMILIES]; /* as which the router itself leaves; zero: it chooses */
};

/* Each slot's, that of none, to tenants, and to the world by default. */
enum { WAYS = TSW_SLOTS + 3 };

struct ways {
	struct way at[WAYS];
	size_t n;
};

/* How many routes are missing, or should not be there. */
int table_compare(enum tsw_family family, const struct ways *ways, size_t *differ);
int table_mend(enum tsw_family family, const struct ways *ways);

#endif
