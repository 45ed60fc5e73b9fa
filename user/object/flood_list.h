/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tenant's flood lists in tsw_groups: the ports and the hosts that get a copy of its broadcast
 * and multicast. Each list is a ring of members with a head.
 */
#ifndef TSW_FLOOD_LIST_H
#define TSW_FLOOD_LIST_H

#include <jansson.h>

#include "record/snapshot.h"
#include "store/tsw.h"

/* Makes both lists of a tenant, empty. A list that exists stays as it is. */
int flood_lists_make(const struct tsw *t, __u32 tenant);
int flood_lists_remove(const struct tsw *t, __u32 tenant);

/* Adds or removes one endpoint at a place; the place is a member while it has any. */
int flood_list_join(const struct tsw *t, __u32 tenant, const struct tsw_fdb *at);
int flood_list_leave(const struct tsw *t, __u32 tenant, const struct tsw_fdb *at);

/* Appends a problem for each list that does not match tsw_fdb. */
int flood_lists_check(const struct snapshot *s, json_t *problems);

/* Makes all lists anew from the tenants and tsw_fdb, after a killed command. */
int flood_lists_rebuild(const struct tsw *t);

#endif
