/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the endpoints and addresses of tenants, and the endpoints on other hosts. The counts of
 * one tenant and one host stay in memory until another one is counted, or until a flush.
 */
#ifndef TSW_COUNT_H
#define TSW_COUNT_H

#include "store/tsw.h"

/* Adds MORE endpoints with ADDRS addresses to tenant ID; both may be negative. */
int tenant_count(struct tsw *t, __u32 id, int more, int addrs);
/* Reads the tenant and its share, with the counts in memory. -ENOENT: no such tenant. */
int tenant_counted(const struct tsw *t, __u32 id, struct tsw_tenant *tenant,
		   struct tsw_share *share);
int tenant_flush(struct tsw *t); /* writes the counts in memory to the maps */

/* The same for the endpoints on host ID. */
int host_count(struct tsw *t, __u32 id, int more);
int host_flush(struct tsw *t);

#endif
