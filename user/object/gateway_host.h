/* SPDX-License-Identifier: GPL-2.0-only */
/* Gateways that need a host. */
#ifndef TSW_GATEWAY_HOST_H
#define TSW_GATEWAY_HOST_H

#include "store/tsw.h"

/* -EBUSY: the host with index HOST serves a gateway, is one of its ranks, or keeps its flows. */
int gateways_check_host(const struct tsw *t, __u32 host);

#endif
