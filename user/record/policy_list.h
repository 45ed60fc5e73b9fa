/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists the rules of tenants, and counts the packets that each rule decided. */
#ifndef TSW_POLICY_LIST_H
#define TSW_POLICY_LIST_H

#include <tsw/object.h>

#include "store/tsw.h"

struct policies {
	struct policy_row {
		char tenant[TSW_NAME_LEN]; /* the tenant's name */
		struct tsw_policy_name key;
		__u32 number;
		struct tsw_policy_spec spec;
	} * row; /* sorted by the tenant's name, then by the rule's */
	size_t n;
};

/* Reads the rules of one tenant; TENANT 0: of all tenants. */
int policies_read(const struct tsw *t, __u32 tenant, struct policies *all);
void policies_free(struct policies *all);

#define cleanup_policies __attribute__((cleanup(policies_free)))

/* Counts what the rule decided, summed over CPUs. NUMBER 0: packets that no rule matched. */
int policy_hits(const struct tsw *t, __u32 tenant, __u32 number, struct tsw_counter *hits);

#endif
