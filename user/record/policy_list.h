/* SPDX-License-Identifier: GPL-2.0-only */
/* All rules, as they were asked for, and how much each has decided. */
#ifndef TSW_POLICY_LIST_H
#define TSW_POLICY_LIST_H

#include <tsw/object.h>

#include "store/tsw.h"

struct policies {
	struct policy_row {
		char tenant[TSW_NAME_LEN]; /* its name */
		struct tsw_policy_name key;
		__u32 number;
		struct tsw_policy_spec spec;
	} * row; /* by their tenants' names, and their own */
	size_t n;
};

/* Of one tenant, or with 0 of all. */
int policies_read(const struct tsw *t, __u32 tenant, struct policies *all);
void policies_free(struct policies *all);

#define cleanup_policies __attribute__((cleanup(policies_free)))

/* The packets that a rule decided, summed over CPUs. Number 0: those that no rule decided. */
int policy_hits(const struct tsw *t, __u32 tenant, __u32 number, struct tsw_counter *hits);

#endif
