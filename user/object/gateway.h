/* SPDX-License-Identifier: GPL-2.0-only */
/* Gateways: tsw_gateways, and what each has in tsw_marks, tsw_addrs and tsw_fdb. */
#ifndef TSW_GATEWAY_H
#define TSW_GATEWAY_H

#include "store/tsw.h"

/* Of seconds that the flows of the host before are kept there: those that are left. */
__u32 gateway_drains(const struct tsw_gateway *gw);

/* Another host serves it from now on; 0: this one. To where it is already: nothing changes. */
void gateway_move(struct tsw_gateway *gw, __u32 host, bool all, __u32 drain);

/*
 * OLD is what is there, or NULL. The index of WANT is kept here. All is checked before anything is
 * changed.
 */
int gateway_change(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		   const struct tsw_gateway *want);
/* FORCE takes along what goes with it: publishes and peerings. */
int gateway_del(struct tsw *t, __u32 tenant, const struct tsw_gateway *gw, bool force);

/* Refuses while HOST serves a gateway, or keeps flows of one. */
int gateways_check_host(const struct tsw *t, __u32 host);

/*
 * After a command that was killed: a change that had begun is brought to its end, what a half-made
 * or half-deleted gateway has is taken away; its record stays, for `add` and `del`.
 */
int gateways_settle(struct tsw *t);

#endif
