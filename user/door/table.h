/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The router's ways: default routes, each in a table of its own. Call these functions during a
 * visit to the router, see netns.h.
 */
#ifndef TSW_TABLE_H
#define TSW_TABLE_H

#include <jansson.h>

#include <tsw/abi.h>

enum {
	TABLE_NUMBER = 7450,  /* to tenants */
	TABLE_UPLINKS = 7000, /* plus the slot: by that uplink */
	TABLE_PROTOCOL = 116, /* marks rules and routes as ours */
};

struct way {
	__u32 table;
	__u32 ifindex;			   /* 0: unreachable */
	__u32 mtu;			   /* 0: the device's */
	struct tsw_addr src[TSW_FAMILIES]; /* the router's own source; zero: the kernel chooses */
};

/* One for each slot, and three more: without a slot, to tenants, and the main table's. */
enum { WAYS = TSW_SLOTS + 3 };

struct ways {
	struct way at[WAYS];
	size_t n;
};

/* Counts routes that are missing or do not belong there. */
int table_compare(enum tsw_family family, const struct ways *ways, size_t *differ);
int table_mend(enum tsw_family family, const struct ways *ways);

#endif
