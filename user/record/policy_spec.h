/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules as they are asked for: checks of one rule, and of all rules of a tenant. */
#ifndef TSW_POLICY_SPEC_H
#define TSW_POLICY_SPEC_H

#include <tsw/object.h>

/* The most of one tenant, so that it cannot take all room. */
enum { POLICY_RULES = 10000 };

/* -EINVAL: it has a port, and its protocol has no ports. */
int policy_spec_check(const struct tsw_policy_spec *spec);

/* Below 0: of two rules of one tenant A goes first; above 0: B. */
int policy_spec_order(const struct tsw_policy_spec *a, const struct tsw_policy_spec *b);

/* Copies the given fields into WANT. With another protocol, ports that are not given go. */
void policy_spec_take(const struct tsw_policy_spec *spec, __u64 given,
		      struct tsw_policy_spec *want);

/* Appends the networks that a rule names to the N of ALL; returns how many there are then. */
size_t policy_spec_cidrs(const struct tsw_policy_spec *spec, struct tsw_prefix *all, size_t n);

/* Checks all networks that a tenant's rules name, and sorts them. AT: the first too deep one. */
enum policy_excess { POLICY_FITS, POLICY_MANY_CIDRS, POLICY_DEEP_CIDRS };
enum policy_excess policy_cidrs_excess(struct tsw_prefix *all, size_t n,
				       const struct tsw_prefix **at);

#endif
