/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules as they are asked for: what goes together, of one and of all that a tenant has. */
#ifndef TSW_POLICY_SPEC_H
#define TSW_POLICY_SPEC_H

#include <tsw/object.h>

/* Of one tenant, so that no other can take all that there is room for. */
enum { POLICY_RULES = 10000 };

/* -EINVAL: a port that its protocol has none of. */
int policy_spec_check(const struct tsw_policy_spec *spec);

/* What is given, into WANT. Ports that were not just asked for go with their protocol. */
void policy_spec_take(const struct tsw_policy_spec *spec, __u64 given,
		      struct tsw_policy_spec *want);

/* The networks that one rule names, behind the N of ALL; how many there are then. */
size_t policy_spec_cidrs(const struct tsw_policy_spec *spec, struct tsw_prefix *all, size_t n);

/* All that a tenant's rules name, which are sorted by it. AT: the first that is too deep. */
enum policy_excess { POLICY_FITS, POLICY_MANY_CIDRS, POLICY_DEEP_CIDRS };
enum policy_excess policy_cidrs_excess(struct tsw_prefix *all, size_t n,
				       const struct tsw_prefix **at);

#endif
