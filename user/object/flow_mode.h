/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns the counting of a tenant's flows on and off. It makes and removes the table and its
 * buckets, and sets the flags in tsw_tenants and tsw_ports by which programs know to count.
 */
#ifndef TSW_FLOW_MODE_H
#define TSW_FLOW_MODE_H

#include <tsw/object.h>

#include "store/tsw.h"

/* -ENOSPC: there is no room for the flows that SPEC asks for. Changes nothing. */
int flows_check(const struct tsw *t, const struct tsw_tenant_spec *spec);

/*
 * flows_begin() comes before the tenant's entry in tsw_tenants is written, flows_end() after it.
 * FLAGS are the flags of the old entry.
 */
int flows_begin(const struct tsw *t, const struct tsw_tenant_spec *spec, __u32 flags);
int flows_end(const struct tsw *t, const struct tsw_tenant_spec *spec);

/* After a killed command: makes tables and buckets as the tenants' flags say. */
int flows_settle(const struct tsw *t);

/* Removes a tenant's table and buckets. */
int flows_purge(const struct tsw *t, __u32 tenant);

#endif
