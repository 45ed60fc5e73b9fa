/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of routes that leads to tsw-gw, and nowhere else. */
#ifndef TSW_TABLE_H
#define TSW_TABLE_H

#include <jansson.h>

#include <tsw/abi.h>

enum { TABLE_NUMBER = 7450, TABLE_PROTOCOL = 116 /* of rules and routes that are ours */ };

/* -EEXIST: somebody else has routes in the table; nothing is changed then. */
int table_mend(enum tsw_family family, __u32 ifindex);
int table_remove(enum tsw_family family);

/* Appends what is missing. */
int table_check(enum tsw_family family, __u32 ifindex, json_t *problems);

#endif
