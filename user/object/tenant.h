/* SPDX-License-Identifier: GPL-2.0-only */
/* Tenants: tsw_tenants, tsw_tenant_ids, and what else is made and removed with one. */
#ifndef TSW_TENANT_H
#define TSW_TENANT_H

#include "object/limit.h"
#include "store/tsw.h"
#include "record/limits.h"

/* TENANT without its count of endpoints, which is kept here. */
int tenant_add(struct tsw *t, __u32 id, const struct tsw_tenant *tenant,
	       const struct limits *limits);
int tenant_replace(struct tsw *t, __u32 id, const struct tsw_tenant *tenant,
		   const struct limits *limits);
int tenant_del(struct tsw *t, const struct tsw_name *name, bool force);

int tenant_drop_counters(const struct tsw *t, __u32 id);

#endif
