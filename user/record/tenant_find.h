/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant in the maps. */
#ifndef TSW_TENANT_FIND_H
#define TSW_TENANT_FIND_H

#include <tsw/object.h>

#include "store/tsw.h"

/* -ENOENT with a message. */
int tenant_find(const struct tsw *t, const struct tsw_name *name, __u32 *id,
		struct tsw_tenant *tenant);

/* -ENOENT without. */
int tenant_lookup(const struct tsw *t, const struct tsw_name *name, __u32 *id,
		  struct tsw_tenant *tenant);

/* Its id; 0 of an empty name, which stands for all tenants. */
int tenant_id(const struct tsw *t, const struct tsw_name *name, __u32 *id);

struct tsw_name tenant_name_of(const struct tsw *t, __u32 id);
const char *tenant_text(const struct tsw *t, __u32 id); /* quoted */

/*
 * What the tenant's own entry has. Its policy is on or off there: policy_load_mode() tells the mode.
 * Other flags of an entry are kept.
 */
void tenant_to_spec(const struct tsw_tenant *tenant, struct tsw_tenant_spec *spec);
void tenant_from_spec(const struct tsw_tenant_spec *spec, struct tsw_tenant *tenant);

const char *encap_text(__u32 encap);

/* The 24 bits of a VNI, VXLAN's or Geneve's, or the GRE key's 32. */
__u32 tenant_id_max(__u32 encap);

#endif
