/* SPDX-License-Identifier: GPL-2.0-only */
/* What `metrics` tells of tenants that asked for more than the counters which each has. */
#ifndef TSW_CMD_METRICS_TENANT_H
#define TSW_CMD_METRICS_TENANT_H

#include "cli/expo.h"
#include "record/counters.h"

int metrics_tenants(const struct tsw *t, const struct tenants *tenants, struct expo *x);

#endif
