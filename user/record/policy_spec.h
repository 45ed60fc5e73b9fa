/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifications of policy rules: checks of one rule, and of all rules of a tenant. */
#ifndef TSW_POLICY_SPEC_H
#define TSW_POLICY_SPEC_H

#include <tsw/object.h>

/* The most rules of one tenant, so that it cannot take the room of the others. */
enum { POLICY_RULES = 10000 };

/* -EINVAL: the rule has a port, but its protocol has no ports. */
int policy_spec_check(const struct tsw_policy_spec *spec);

/* Orders two rules of one tenant by which decides first: < 0: A, > 0: B. */
int policy_spec_order(const struct tsw_policy_spec *a, const struct tsw_policy_spec *b);

/* Copies the fields in GIVEN into WANT. Another protocol clears ports that are not given. */
void policy_spec_take(const struct tsw_policy_spec *spec, __u64 given,
		      struct tsw_policy_spec *want);

/* Appends the networks that a rule names to the N in ALL; returns the new number. */
size_t policy_spec_cidrs(const struct tsw_policy_spec *spec, struct tsw_prefix *all, size_t n);

/*
 * Sorts all networks that a tenant's rules name, and checks how many they are and how deep they
 * are nested. *AT: the first network beyond a limit.
 */
enum policy_excess { POLICY_FITS, POLICY_MANY_CIDRS, POLICY_DEEP_CIDRS };
enum policy_excess policy_cidrs_excess(struct tsw_prefix *all, size_t n,
				       const struct tsw_prefix **at);

#endif
