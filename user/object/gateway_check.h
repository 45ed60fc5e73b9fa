/* SPDX-License-Identifier: GPL-2.0-only */
/* What refuses a change of a gateway, or of a host that a gateway needs. */
#ifndef TSW_GATEWAY_CHECK_H
#define TSW_GATEWAY_CHECK_H

#include "store/tsw.h"

/* Checks that the gateway OLD, which may be NULL, can become WANT. Changes nothing. */
int gateway_check(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		  const struct tsw_gateway *want);

/* -EBUSY: the host with index HOST serves a gateway, is one of its ranks, or keeps its flows. */
int gateways_check_host(const struct tsw *t, __u32 host);

#endif
