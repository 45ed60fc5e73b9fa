/* SPDX-License-Identifier: GPL-2.0-only */
/* tsw_snats: the addresses that gateways leave as for which this host speaks. */
#ifndef TSW_SNAT_H
#define TSW_SNAT_H

#include <jansson.h>

#include "store/tsw.h"

/*
 * A gateway's record was OLD and is WANT; either may be NULL. An address that is new here is
 * announced.
 */
int snat_follow(struct tsw *t, const struct tsw_gateway *old, const struct tsw_gateway *want);

/* All of them counted again. */
int snats_settle(struct tsw *t);

/* GATEWAYS: the rows of tsw_gateways. */
int snats_check(struct tsw *t, const struct rows *gateways, json_t *problems, json_t *warnings);

#endif
