/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A change of a tenant's policy, which frames see as a whole or not at all: see struct tsw_policy.
 * After a kill between policy_change_write() and policy_change_commit() the change is pending, and
 * policy_settle() reverts it.
 */
#ifndef TSW_POLICY_CHANGE_H
#define TSW_POLICY_CHANGE_H

#include "record/policy_ways.h"
#include "store/tsw.h"

struct policy_change {
	__u32 tenant;
	struct tsw_policy policy; /* before the change */
	struct policy_edit {
		struct tsw_policy_way_key key;
		struct tsw_policy_choice was, then;
	} * edit;
	size_t n;
};

/* Reads the tenant's policy, and makes it first if the tenant never had one. */
int policy_make(const struct tsw *t, __u32 tenant, struct tsw_policy *policy);

int policy_change_begin(const struct tsw *t, __u32 tenant, struct policy_change *c);
void policy_change_end(struct policy_change *c);

#define cleanup_policy_change __attribute__((cleanup(policy_change_end)))

/* Reads the choice in force at KEY. Without one, CHOICE has the number 0. */
int policy_choice_now(const struct tsw *t, const struct policy_change *c,
		      const struct tsw_policy_way_key *key, struct tsw_policy_choice *choice);

/* Adds to the change: at KEY the choice THEN replaces WAS. */
int policy_change_add(struct policy_change *c, const struct tsw_policy_way_key *key,
		      const struct tsw_policy_choice *was, const struct tsw_policy_choice *then);

/* Writes the change; nothing of it is in force yet. */
int policy_change_write(const struct tsw *t, const struct policy_change *c);

/*
 * Puts the whole change in force at once. LENGTHS has a bit for each length of a key that some way
 * has after the change.
 */
int policy_change_commit(const struct tsw *t, const struct policy_change *c, __u32 lengths);

/* Adds MORE to the number of endpoints that are in a group. All connections are judged again. */
int policy_count(const struct tsw *t, __u32 tenant, int more);

#endif
