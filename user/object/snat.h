/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tsw_snats: the source addresses of gateways for which this host answers ARP and neighbour
 * solicitations.
 */
#ifndef TSW_SNAT_H
#define TSW_SNAT_H

#include <jansson.h>
#include <stdbool.h>

#include "store/tsw.h"

/*
 * Updates the entries after a gateway's record changed from OLD to WANT; either may be NULL. An
 * address that is new on this host is announced.
 */
int snat_follow(struct tsw *t, const struct tsw_gateway *old, const struct tsw_gateway *want);

/*
 * The gateway's source address of that family, if this host alone answers for it. NULL: there is
 * none, or each host serves its own endpoints.
 */
const struct tsw_addr *snat_answered(const struct tsw_gateway *gw, int family);

/* Tells whether another host claims the address on the network, so that this one stays silent. */
bool snat_is_left(const struct tsw_snat *snat);

/* Counts all entries again. */
int snats_settle(struct tsw *t);

/* Appends what is wrong with the entries. GATEWAYS are the rows of tsw_gateways. */
int snats_check(struct tsw *t, const struct rows *gateways, json_t *problems, json_t *warnings);

#endif
