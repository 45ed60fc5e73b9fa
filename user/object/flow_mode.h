/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a tenant's flows are counted: its table and the buckets of that, and the flags in
 * tsw_tenants and tsw_ports by which programs know that there is anything to count.
 */
#ifndef TSW_FLOW_MODE_H
#define TSW_FLOW_MODE_H

#include <tsw/object.h>

#include "store/tsw.h"

/* Is there room for what SPEC asks? Before anything is changed. */
int flows_check(const struct tsw *t, const struct tsw_tenant_spec *spec);

/* Around the writing of the tenant's own entry, whose flags were FLAGS and follow from SPEC. */
int flows_begin(const struct tsw *t, const struct tsw_tenant_spec *spec, __u32 flags);
int flows_end(const struct tsw *t, const struct tsw_tenant_spec *spec);

/* What a killed command left: tables are as their tenants say, and each has its buckets. */
int flows_settle(const struct tsw *t);

int flows_purge(const struct tsw *t, __u32 tenant);

#endif
