/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses that move between endpoints, see bpf/port/vip.h. tsw_vips has them for each endpoint.
 * An address that any endpoint has there has an entry in tsw_taken, which comes before that in
 * tsw_addrs and goes after it.
 */
#ifndef TSW_VIP_H
#define TSW_VIP_H

#include "record/endpoint_find.h"

/*
 * Fails if a vip of WANT is an address of an endpoint or a gateway, or in a network behind another
 * endpoint than OLD, which may be NULL. Adds to *FRESH how many of them no endpoint has yet.
 */
int vips_check(const struct tsw *t, const struct endpoint *old, const struct endpoint *want,
	       __u32 *fresh);

/* Whether no endpoint but that with MAC may take the vip. */
bool vip_is_sole(const struct tsw *t, const struct tsw_addr_key *key, const struct tsw_mac *mac);

/* Adds the entries that are missing for the endpoint's vips. */
int vips_add(const struct tsw *t, const struct endpoint *ep);

/*
 * Removes what only OLD needed, after tsw_vips has WANT's vips. The endpoint gives up vips that it
 * has; if only its MAC changed, it keeps them.
 */
int vips_drop(struct tsw *t, const struct endpoint *old, const struct endpoint *want);

/* After a kill: gives each vip its entries, and removes those that no endpoint needs. */
int vips_settle(struct tsw *t);

/* Whether the endpoint with this MAC has the vip now. */
bool vip_is_held(const struct tsw *t, const struct tsw_fdb_key *who, const struct tsw_addr *addr);

#endif
