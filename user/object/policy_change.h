/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A change of what a tenant's policy says, which frames see as a whole or not at all: see struct
 * tsw_policy. Between policy_change_write() and _commit() a kill leaves it pending, and
 * policy_settle() takes back what was written.
 */
#ifndef TSW_POLICY_CHANGE_H
#define TSW_POLICY_CHANGE_H

#include "record/policy_ways.h"
#include "store/tsw.h"

struct policy_change {
	__u32 tenant;
	struct tsw_policy policy; /* as it is before */
	struct policy_edit {
		struct tsw_policy_way_key key;
		struct tsw_policy_choice was, then;
	} * edit;
	size_t n;
	size_t room;
};

/* The tenant's policy, made where nothing was ever said of it. */
int policy_make(const struct tsw *t, __u32 tenant, struct tsw_policy *policy);

int policy_change_begin(const struct tsw *t, __u32 tenant, struct policy_change *c);
void policy_change_end(struct policy_change *c);

#define cleanup_policy_change __attribute__((cleanup(policy_change_end)))

/* What counts now at KEY; number 0: nothing. */
int policy_choice_now(const struct tsw *t, const struct policy_change *c,
		      const struct tsw_policy_way_key *key, struct tsw_policy_choice *choice);

/* From this change on another choice counts at that key. */
int policy_change_add(struct policy_change *c, const struct tsw_policy_way_key *key,
		      const struct tsw_policy_choice *was, const struct tsw_policy_choice *then);

/* Nothing of it counts yet. */
int policy_change_write(const struct tsw *t, const struct policy_change *c);

/* All of it does. LENGTHS: of the ways that there are now, which some may have left. */
int policy_change_commit(const struct tsw *t, const struct policy_change *c, __u32 lengths);

/* Connections are judged anew. MORE: so many more endpoints are in a group. */
int policy_count(const struct tsw *t, __u32 tenant, int more);

#endif
