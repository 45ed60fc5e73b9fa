/* SPDX-License-Identifier: GPL-2.0-only */
/* Who gets a copy of a tenant's broadcast and multicast: the rings of tsw_groups. */
#ifndef TSW_GROUP_H
#define TSW_GROUP_H

#include <jansson.h>

#include "record/snapshot.h"
#include "store/tsw.h"

/* Both rings of a tenant, empty; a ring that is there stays as it is. */
int groups_make(const struct tsw *t, __u32 tenant);
int groups_remove(const struct tsw *t, __u32 tenant);

/* One more, one less endpoint at that place. */
int group_join(const struct tsw *t, __u32 tenant, const struct tsw_fdb *at);
int group_leave(const struct tsw *t, __u32 tenant, const struct tsw_fdb *at);

/* Appends which of them are not as tsw_fdb says. */
int groups_check(const struct snapshot *s, json_t *problems);

/* Makes all rings anew from the tenants and tsw_fdb: a killed command may have torn one. */
int groups_rebuild(const struct tsw *t);

#endif
