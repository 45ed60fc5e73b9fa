// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "record/policy_spec.h"
#include "rules/rules.h"

int rule_groups(const char *tenant, __u64 has, const struct tsw_name *name, size_t n)
{
	size_t i, k;

	for (i = 1; i < n; i++)
		for (k = 0; k < i; k++)
			if (!strcmp(name[k].s, name[i].s))
				return misuse("group %s is given twice", quoted(name[i].s));
	if (has + n <= TSW_POLICY_GROUPS)
		return 0;
	return fail(ENOSPC, "tenant %s has %llu groups, and there can be %d", quoted(tenant), has,
		    TSW_POLICY_GROUPS);
}

int rule_group_member(const char *endpoint)
{
	return fail(EBUSY, "endpoint %s is in it", quoted(endpoint));
}

int rule_group_named(const char *policy)
{
	return fail(EBUSY, "policy %s names it", quoted(policy));
}

int rule_policies_full(const char *tenant)
{
	return fail(ENOSPC, "tenant %s already has the maximum of %d rules", quoted(tenant),
		    POLICY_RULES);
}

int rule_cidrs_full(const char *tenant)
{
	return fail(ENOSPC, "the policy of tenant %s already has the maximum of %d networks",
		    quoted(tenant), TSW_POLICY_CIDRS);
}

int rule_cidrs_deep(const struct tsw_prefix *cidr)
{
	return fail(E2BIG,
		    "with %s more than %d networks of the tenant's policy would be within one "
		    "another",
		    quoted(prefix_text(cidr)), TSW_POLICY_NESTED);
}
