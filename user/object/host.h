/* SPDX-License-Identifier: GPL-2.0-only */
/* The other hosts: tsw_hosts, tsw_host_ids, tsw_vteps. */
#ifndef TSW_HOST_H
#define TSW_HOST_H

#include <tsw/object.h>

#include "store/tsw.h"

/* -ENOENT with a message. */
int host_find(const struct tsw *t, const struct tsw_name *name, __u32 *id, struct tsw_host *host);

/*
 * WANT: name, zone, addresses and which is preferred; the rest is kept here. KEY: what its keys are
 * to be; NULL, but with host_add(): those that they are.
 */
int host_add(struct tsw *t, const struct tsw_host *want, const struct tsw_key_list *key);
int host_replace(struct tsw *t, const struct tsw_host *want, const struct tsw_key_list *key);
int host_set(struct tsw *t, const struct tsw_host *want, const struct tsw_key_list *key);
int host_del(struct tsw *t, const struct tsw_name *name);

/*
 * After this host's own addresses, or routes, have changed: of each host the address to use, and
 * the MTU of the route there.
 */
int host_choose_all(struct tsw *t);

#endif
