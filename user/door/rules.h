/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The router's policy routing: what has a tenant's mark goes to tsw-gw, and what has an uplink's by
 * that. During a visit to the router, see netns.h.
 */
#ifndef TSW_RULES_H
#define TSW_RULES_H

#include <stddef.h>

#include "door/table.h"

/* How many are missing, or should not be there. */
int rules_compare(enum tsw_family family, const struct ways *ways, size_t *differ);
int rules_mend(enum tsw_family family, const struct ways *ways);

#endif
