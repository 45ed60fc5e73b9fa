/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns a tenant's policy on and off: the mode in tsw_policies, and the flags in tsw_tenants and
 * tsw_ports by which programs know to look up the policy.
 */
#ifndef TSW_POLICY_MODE_H
#define TSW_POLICY_MODE_H

#include <tsw/object.h>

#include "store/tsw.h"

/*
 * policy_mode_begin() comes before the tenant's entry in tsw_tenants is written, and
 * policy_mode_end() after it. FLAGS are the flags of the old entry.
 */
int policy_mode_begin(const struct tsw *t, const struct tsw_tenant_spec *spec, __u32 flags);
int policy_mode_end(const struct tsw *t, const struct tsw_tenant_spec *spec);

/* Deletes a tenant's policy with its rules and groups. */
int policy_purge(const struct tsw *t, __u32 tenant);
/* *THERE: the tenant has groups or rules. */
int policy_is_there(const struct tsw *t, __u32 tenant, bool *there);

#endif
