/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_GATEWAY_CHECK_H
#define TSW_GATEWAY_CHECK_H

#include "store/tsw.h"

/* Checks that the gateway OLD, which may be NULL, can become WANT. Changes nothing. */
int gateway_check(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		  const struct tsw_gateway *want);

#endif
