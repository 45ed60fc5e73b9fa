/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The router's ip rules: packets with a tenant's mark go to tsw-gw, and packets with an uplink's
 * mark by that uplink. Call these during a visit to the router, see netns.h.
 */
#ifndef TSW_RULES_H
#define TSW_RULES_H

#include <stddef.h>

#include "door/table.h"

/* Counts rules that are missing or do not belong there. */
int rules_compare(enum tsw_family family, const struct ways *ways, size_t *differ);
int rules_mend(enum tsw_family family, const struct ways *ways);

#endif
