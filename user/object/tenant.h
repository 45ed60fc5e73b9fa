/* SPDX-License-Identifier: GPL-2.0-only */
/* Tenants: tsw_tenants, tsw_tenant_ids, and what else is made and removed with one. */
#ifndef TSW_TENANT_H
#define TSW_TENANT_H

#include <tsw/object.h>

#include "store/tsw.h"

/* The count of endpoints is kept. */
int tenant_add(struct tsw *t, const struct tsw_tenant_spec *spec);
int tenant_replace(struct tsw *t, const struct tsw_tenant_spec *spec);
int tenant_del(struct tsw *t, const struct tsw_name *name, bool force);

/* Reads the whole tenant with this id and this entry. */
int tenant_load(const struct tsw *t, __u32 id, const struct tsw_tenant *tenant,
		struct tsw_tenant_spec *spec);

int tenant_drop_counters(const struct tsw *t, __u32 id);

/* After a kill: drops entries that deleted tenants left in maps. */
int tenant_settle(const struct tsw *t);

#endif
