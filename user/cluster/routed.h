/* SPDX-License-Identifier: GPL-2.0-only */
/* Tenants without NAT are seen outside as they are: no two networks of theirs may overlap. */
#ifndef TSW_CLUSTER_ROUTED_H
#define TSW_CLUSTER_ROUTED_H

#include "cluster/prefixes.h"

/*
 * Refuses networks of a tenant without NAT that another one has, at its gateway or behind an
 * endpoint: those of LIST, and BEHIND, which may be NULL. Adds to C the condition that no gateway,
 * and no network behind an endpoint of the others, is changed meanwhile.
 */
int cluster_check_routed(const struct records *r, struct change *c, const struct tsw_name *tenant,
			 const struct tsw_prefix_list *list, const struct prefixes *behind);

#endif
