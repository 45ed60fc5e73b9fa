/* SPDX-License-Identifier: GPL-2.0-only */
/* Tenants: tsw_tenants, tsw_tenant_ids, and what else is made and removed with one. */
#ifndef TSW_TENANT_H
#define TSW_TENANT_H

#include "object/limit.h"
#include "store/tsw.h"

/* -ENOENT with a message. */
int tenant_find(const struct tsw *t, const struct tsw_name *name, __u32 *id,
		struct tsw_tenant *tenant);
/* -ENOENT without. */
int tenant_lookup(const struct tsw *t, const struct tsw_name *name, __u32 *id,
		  struct tsw_tenant *tenant);

/* Its name for a message, in quotes. */
const char *tenant_text(const struct tsw *t, __u32 id);

/* TENANT without its count of endpoints, which is kept here. */
int tenant_add(struct tsw *t, __u32 id, const struct tsw_tenant *tenant,
	       const struct limits *limits);
int tenant_replace(struct tsw *t, __u32 id, const struct tsw_tenant *tenant,
		   const struct limits *limits);
int tenant_del(struct tsw *t, const struct tsw_name *name, bool force);

int tenant_drop_counters(const struct tsw *t, __u32 id);

/* Counts its endpoints; what was counted is written when another's turn comes, or by flush. */
int tenant_count(struct tsw *t, __u32 id, int more);
int tenant_flush(struct tsw *t);

/* The largest MTU that the way to each host leaves a tenant now; 0: not known. */
int tenant_mtu_limit(struct tsw *t, enum tsw_encap encap, __u32 *limit);

const char *encap_text(__u32 encap);

/* The VNI's 24 bits, or the GRE key's 32. */
__u32 tenant_id_max(__u32 encap);

#endif
