/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant's shares at gateways: its limits in tsw_fair, and what of them is in use. */
#ifndef TSW_FAIR_H
#define TSW_FAIR_H

#include <jansson.h>

#include "object/limit.h"
#include "record/limits.h"
#include "store/tsw.h"

/* Other limits begin with nothing in use: what goes on is found again within a tick. */
int fair_put(const struct tsw *t, __u32 tenant, const struct tsw_limits *limits);
int fair_drop(const struct tsw *t, __u32 tenant);

/* The limits as they hold: numbers, or null for none. */
void fair_json(const struct tsw_limits *limits, json_t *item);
/* What is in use now, of connections and half-open ones; CONNS are the rows of tsw_conns. */
int fair_use_json(const struct tsw *t, const struct rows *conns, __u32 tenant, json_t *item);

#endif
