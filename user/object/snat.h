/* SPDX-License-Identifier: GPL-2.0-only */
/* tsw_snats: the addresses that gateways leave as for which this host speaks. */
#ifndef TSW_SNAT_H
#define TSW_SNAT_H

#include <jansson.h>
#include <stdbool.h>

#include "store/tsw.h"

/*
 * A gateway's record was OLD and is WANT; either may be NULL. An address that is new here is
 * announced.
 */
int snat_follow(struct tsw *t, const struct tsw_gateway *old, const struct tsw_gateway *want);

/* NULL: none of this family, or it is not for this host alone to say so. */
const struct tsw_addr *snat_spoken_for(const struct tsw_gateway *gw, int family);

/* Another host has it, as far as was heard on its network: this one does not answer for it. */
bool snat_is_left(const struct tsw_snat *snat);

/* All of them counted again. */
int snats_settle(struct tsw *t);

/* GATEWAYS: the rows of tsw_gateways. */
int snats_check(struct tsw *t, const struct rows *gateways, json_t *problems, json_t *warnings);

#endif
