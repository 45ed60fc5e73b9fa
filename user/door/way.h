/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of routes that leads to tsw-gw, and nowhere else. */
#ifndef TSW_WAY_H
#define TSW_WAY_H

#include <jansson.h>

#include <tsw/abi.h>

enum { WAY_TABLE = 7450, WAY_PROTOCOL = 116 /* of rules and routes that are ours */ };

/* -EEXIST: somebody else has routes in the table; nothing is changed then. */
int way_mend(enum tsw_family family, __u32 ifindex);
int way_remove(enum tsw_family family);

/* Appends what is missing. */
int way_check(enum tsw_family family, __u32 ifindex, json_t *problems);

#endif
