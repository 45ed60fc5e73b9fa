/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant's shares at gateways: its limits in tsw_fair, and how much of them is in use. */
#ifndef TSW_FAIR_H
#define TSW_FAIR_H

#include <jansson.h>

#include "object/limit.h"
#include "record/limits.h"
#include "store/tsw.h"

/*
 * Writes the limits. Changed limits begin with nothing in use; connections that go on are counted
 * again within a tick.
 */
int fair_put(const struct tsw *t, __u32 tenant, const struct tsw_limits *limits);
int fair_drop(const struct tsw *t, __u32 tenant);

/* Adds the limits in force to ITEM: numbers, or null for none. */
void fair_json(const struct tsw_limits *limits, json_t *item);
/* Adds the numbers of connections and half-open ones in use. CONNS are the rows of tsw_conns. */
int fair_use_json(const struct tsw *t, const struct rows *conns, __u32 tenant, json_t *item);

#endif
