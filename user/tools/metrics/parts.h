/* SPDX-License-Identifier: GPL-2.0-only */
/* What `metrics` tells of encryption, rules, flows, shares and the agent. */
#ifndef TSW_TOOLS_METRICS_PARTS_H
#define TSW_TOOLS_METRICS_PARTS_H

#include "record/counters.h"
#include "tools/metrics/expo.h"

/* Nothing where no tenant's policy is on or in audit. */
int metrics_policies(const struct tsw *t, const struct tenants *tenants, struct expo *x);

/* Nothing where the switch does not encrypt. */
int metrics_crypt(const struct tsw *t, struct expo *x);

/* Nothing where this host is no member of a cluster. */
void metrics_agent(struct expo *x);

/* All of these but the agent; TENANTS may be NULL: nothing of each. */
int metrics_parts(const struct tsw *t, const struct tenants *tenants, struct expo *x);

#endif
