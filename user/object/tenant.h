/* SPDX-License-Identifier: GPL-2.0-only */
/* Tenants in tsw_tenants and tsw_tenant_ids, with the entries of other maps that each has. */
#ifndef TSW_TENANT_H
#define TSW_TENANT_H

#include <tsw/object.h>

#include "store/tsw.h"

/*
 * Each takes a whole tenant. tenant_replace() adds it, or changes it and keeps its count of
 * endpoints. FORCE also deletes its endpoints, gateway and policy. -EBUSY: without it some exist.
 */
int tenant_add(struct tsw *t, const struct tsw_tenant_spec *spec);
int tenant_replace(struct tsw *t, const struct tsw_tenant_spec *spec);
int tenant_del(struct tsw *t, const struct tsw_name *name, bool force);

/* Reads the whole tenant with this id and this entry. */
int tenant_load(const struct tsw *t, __u32 id, const struct tsw_tenant *tenant,
		struct tsw_tenant_spec *spec);

/* Removes the counters of a tenant's frames and drops. */
int tenant_drop_counters(const struct tsw *t, __u32 id);

/* After a kill: drops entries that deleted tenants left in maps. */
int tenant_settle(const struct tsw *t);

#endif
