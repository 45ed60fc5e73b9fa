/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds tenants in the maps, and converts them to and from their specification. */
#ifndef TSW_TENANT_FIND_H
#define TSW_TENANT_FIND_H

#include <tsw/object.h>

#include "store/tsw.h"

/* Finds the tenant by name; -ENOENT with a message. */
int tenant_find(const struct tsw *t, const struct tsw_name *name, __u32 *id,
		struct tsw_tenant *tenant);

/* The same; -ENOENT without a message. */
int tenant_lookup(const struct tsw *t, const struct tsw_name *name, __u32 *id,
		  struct tsw_tenant *tenant);

/* Sets *ID to the tenant's id. An empty name stands for all tenants: *ID is 0. */
int tenant_id(const struct tsw *t, const struct tsw_name *name, __u32 *id);

struct tsw_name tenant_name_of(const struct tsw *t, __u32 id);
const char *tenant_text(const struct tsw *t, __u32 id); /* quoted */

/*
 * Convert between the tenant's entry and its specification. The entry only says whether the policy
 * is on; policy_load_mode() reads its mode. tenant_from_spec() keeps the entry's other flags.
 */
void tenant_to_spec(const struct tsw_tenant *tenant, struct tsw_tenant_spec *spec);
void tenant_from_spec(const struct tsw_tenant_spec *spec, struct tsw_tenant *tenant);

const char *encap_text(__u32 encap);

/* The largest id: 24 bits for a VNI of VXLAN or Geneve, 32 bits for a key of GRE. */
__u32 tenant_id_max(__u32 encap);

#endif
