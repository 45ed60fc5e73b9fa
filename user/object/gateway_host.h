/* SPDX-License-Identifier: GPL-2.0-only */
/* Gateways that are in the way of a host that is to go. */
#ifndef TSW_GATEWAY_HOST_H
#define TSW_GATEWAY_HOST_H

#include "store/tsw.h"

/* Refuses while HOST serves a gateway, is ranked to, or keeps flows of one. */
int gateways_check_host(const struct tsw *t, __u32 host);

#endif
