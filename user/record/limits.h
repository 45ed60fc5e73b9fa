/* SPDX-License-Identifier: GPL-2.0-only */
/* The limits of a tenant or an endpoint in the map tsw_limits: rates, burst and connections. */
#ifndef TSW_LIMITS_H
#define TSW_LIMITS_H

#include <tsw/object.h>

#include "store/tsw.h"

extern const struct tsw_mac limits_tenant; /* zero: stands for the tenant itself */

/* The key in tsw_limits. MAC: the endpoint's, or &limits_tenant. */
struct tsw_limit_key limits_key(__u32 tenant, const struct tsw_mac *mac);

/* Clears a burst that has no rate. -EINVAL: the user gave that burst in this command. */
int limits_settle(struct tsw_limits *limits, bool burst_given);

bool limits_any(const struct tsw_limits *limits); /* has a rate */
bool limits_equal(const struct tsw_limits *a, const struct tsw_limits *b);

struct tsw_limits limits_of(const struct tsw_limit *entry);

/* Reads the limits; zero: no entry. */
int limits_load(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
		struct tsw_limits *limits);

#endif
