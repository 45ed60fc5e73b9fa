/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a tenant has a policy: its mode in tsw_policies, and the flags in tsw_tenants and
 * tsw_ports by which programs know that there is anything to look up.
 */
#ifndef TSW_POLICY_MODE_H
#define TSW_POLICY_MODE_H

#include <tsw/object.h>

#include "store/tsw.h"

/* Around the writing of the tenant's own entry, whose flags were FLAGS and follow from SPEC. */
int policy_mode_begin(const struct tsw *t, const struct tsw_tenant_spec *spec, __u32 flags);
int policy_mode_end(const struct tsw *t, const struct tsw_tenant_spec *spec);

/* All that a tenant's policy has, its groups too. */
int policy_purge(const struct tsw *t, __u32 tenant);
/* It has groups or rules. */
int policy_is_there(const struct tsw *t, __u32 tenant, bool *there);

#endif
