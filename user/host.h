/* SPDX-License-Identifier: GPL-2.0-only */
/* The other hosts: tsw_hosts, tsw_host_ids, tsw_vteps. */
#ifndef TSW_HOST_H
#define TSW_HOST_H

#include "tsw.h"

/* -ENOENT with a message. */
int host_find(const struct tsw *t, const struct tsw_name *name, __u32 *id, struct tsw_host *host);

int host_add(struct tsw *t, const struct tsw_name *name, const struct tsw_addr *addr);
int host_replace(struct tsw *t, const struct tsw_name *name, const struct tsw_addr *addr);
int host_set(struct tsw *t, const struct tsw_name *name, const struct tsw_addr *addr);
int host_del(struct tsw *t, const struct tsw_name *name);

/* As tenant_count() and tenant_flush(). */
int host_count(struct tsw *t, __u32 id, int more);
int host_flush(struct tsw *t);

#endif
