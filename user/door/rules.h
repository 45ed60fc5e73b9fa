/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policy routing: what has a tenant's mark goes to tsw-gw. Rules and routes of ours have a
 * protocol number of their own, so that they are known without being noted anywhere.
 */
#ifndef TSW_RULES_H
#define TSW_RULES_H

#include <jansson.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

/* Devices that forward for the gateways alone; ALL: all but these. */
struct shy {
	bool all;
	size_t n;
	char (*name)[IFNAMSIZ];
};

/* -EEXIST: somebody else has the priorities or the table; nothing is changed then. */
int rules_mend(enum tsw_family family, const struct shy *shy);
int rules_remove(enum tsw_family family);

/* The devices that rules of ours keep shy; free shy->name, also where it fails. */
int rules_shy(enum tsw_family family, struct shy *shy);

/* Appends what is missing. */
int rules_check(enum tsw_family family, const struct shy *shy, json_t *problems);

#endif
