/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits of rates: tsw_limits, and the flags in tsw_ports by which programs know of them; of a
 * tenant those of its connections besides, see fair.h.
 */
#ifndef TSW_LIMIT_H
#define TSW_LIMIT_H

#include "store/tsw.h"
#include "cli/words.h"

struct limits {
	__u64 rate[TSW_WAYS]; /* bits a second; 0: none */
	__u32 burst;	      /* octets; 0: what goes with each rate */
	__u32 connections;    /* of a tenant alone, as in struct tsw_fair */
	__u32 half_open;
};

extern const struct tsw_mac limits_tenant; /* the MAC under which a tenant's own are kept */

/* What the words name, into LIMITS, which has the rest. */
int limits_given(const struct words *w, struct limits *limits);
int limits_check(struct tsw *t, const struct tsw_tenant *tenant, const struct limits *limits);

bool limits_equal(const struct limits *a, const struct limits *b);
void limits_json(const struct limits *limits, json_t *item);

struct limits limits_of(const struct tsw_limit *entry);

/* Where there are none LIMITS is zero. */
int limits_load(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
		struct limits *limits);
/* A bucket that stays the same keeps what is in it; a new one is full. */
int limits_put(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
	       const struct limits *limits);
int limits_drop(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac);

/* Of a port of that tenant, and those of all ports brought up to date; TENANT 0: of all tenants. */
int limits_flags(const struct tsw *t, const struct tsw_port *port, __u32 *flags);
int limits_flag_ports(const struct tsw *t, __u32 tenant);

#endif
