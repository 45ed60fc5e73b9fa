/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The entries of tsw_policy_ways that rules need. A way is a key of groups or network, protocol
 * and port prefix; its choice is what the best rule for that key decides.
 */
#ifndef TSW_POLICY_WAYS_H
#define TSW_POLICY_WAYS_H

#include <stdbool.h>
#include <stddef.h>

#include "store/tsw.h"

enum { POLICY_RULE_WAYS = 30 }; /* the most for one rule: ports 1 to 65534 */

/* Sets KEY to the keys of one rule; returns how many. */
unsigned int policy_rule_ways(__u32 tenant, const struct tsw_policy_rule *rule,
			      struct tsw_policy_way_key key[POLICY_RULE_WAYS]);

struct tsw_policy_choice policy_rule_choice(const struct tsw_policy_rule *rule);

/* Whether A decides before B. A choice with number 0 is empty. */
bool policy_is_better(const struct tsw_policy_choice *a, const struct tsw_policy_choice *b);
bool policy_same_choice(const struct tsw_policy_choice *a, const struct tsw_policy_choice *b);

/* The choice that is valid at that generation of the tenant's rules. */
const struct tsw_policy_choice *policy_way_now(const struct tsw_policy_way *way, __u32 generation);

/* All ways that rules need. The member `key` must be first, for searches. */
struct policy_ways {
	struct policy_way {
		struct tsw_policy_way_key key;
		struct tsw_policy_choice choice;
	} * all; /* sorted by key; each key once */
	size_t n;
};

int policy_ways_make(const struct rows *rules, struct policy_ways *ways);
void policy_ways_free(struct policy_ways *ways);

#define cleanup_policy_ways __attribute__((cleanup(policy_ways_free)))

/* The choice for that key; number 0: no rule needs the key. */
struct tsw_policy_choice policy_ways_find(const struct policy_ways *ways,
					  const struct tsw_policy_way_key *key);

/* The value of tsw_policy.lengths for a tenant. */
__u32 policy_ways_lengths(const struct policy_ways *ways, __u32 tenant);

#endif
