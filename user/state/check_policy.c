// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "record/policy_spec.h"
#include "state/policy.h"

static __u32 later(__u32 a, __u32 b)
{
	return a > b ? a : b;
}

/* N counts the groups of the same tenant up to this one. */
static int check_groups(const struct state *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n_groups; i++) {
		const struct state_group *a = &s->group[i ? i - 1 : 0], *b = &s->group[i];
		const __u32 tenant = s->tenant[b->tenant].at;

		n = i && a->tenant == b->tenant ? n + 1 : 1;
		if (n > TSW_POLICY_GROUPS)
			return misuse("tenants[%u].groups: there are more than %d", tenant,
				      TSW_POLICY_GROUPS);
		if (n > 1 && !strcmp(a->name.s, b->name.s))
			return misuse("tenants[%u].groups[%u]: %s is given twice", tenant,
				      later(a->at, b->at), quoted(b->name.s));
	}
	return 0;
}

static int check_end(const struct state *s, const struct state_policy *p, const char *key,
		     const struct tsw_policy_who *who)
{
	if (who->who != TSW_WHO_GROUP || state_has_group(s, p->tenant, &who->group))
		return 0;
	return misuse("tenants[%u].policies[%u].%s: the tenant has no group %s",
		      s->tenant[p->tenant].at, p->at, key, quoted(who->group.s));
}

static int check_policy(const struct state *s, const struct state_policy *p)
{
	int err = check_end(s, p, "from", &p->spec.from);

	return err ?: check_end(s, p, "to", &p->spec.to);
}

static int check_names(const struct state *s)
{
	size_t i, n = 0;
	int err = 0;

	for (i = 0; !err && i < s->n_policies; i++) {
		const struct state_policy *a = &s->policy[i ? i - 1 : 0], *b = &s->policy[i];
		const __u32 tenant = s->tenant[b->tenant].at;

		n = i && a->tenant == b->tenant ? n + 1 : 1;
		if (n > POLICY_RULES)
			return misuse("tenants[%u].policies: there are more than %d", tenant,
				      POLICY_RULES);
		if (n > 1 && !strcmp(a->spec.name.s, b->spec.name.s))
			return misuse("tenants[%u].policies[%u].name: %s is the name of "
				      "tenants[%u].policies[%u] already",
				      tenant, later(a->at, b->at), quoted(b->spec.name.s), tenant,
				      a->at > b->at ? b->at : a->at);
		err = check_policy(s, b);
	}
	return err;
}

static int check_members(const struct state *s)
{
	size_t i;
	__u32 k;

	for (i = 0; i < s->n_endpoints; i++) {
		const struct state_endpoint *ep = &s->endpoint[i];

		for (k = 0; k < ep->n_groups; k++) {
			const struct tsw_name *name = &s->member[ep->first_group + k];

			if (!state_has_group(s, ep->tenant, name))
				return misuse("tenants[%u].endpoints[%u].group: the tenant has no "
					      "group %s",
					      s->tenant[ep->tenant].at, ep->at, quoted(name->s));
		}
	}
	return 0;
}

/* ---- networks --------------------------------------------------------------------- */

static int check_nested(const struct state *s, __u32 tenant, struct tsw_prefix *cidr, size_t n)
{
	const struct tsw_prefix *at;

	switch (policy_cidrs_excess(cidr, n, &at)) {
	case POLICY_MANY_CIDRS:
		return misuse("tenants[%u].policies: they name more than %d networks",
			      s->tenant[tenant].at, TSW_POLICY_CIDRS);
	case POLICY_DEEP_CIDRS:
		return misuse("tenants[%u].policies: with %s more than %d networks are within one "
			      "another",
			      s->tenant[tenant].at, quoted(prefix_text(at)), TSW_POLICY_NESTED);
	default:
		return 0;
	}
}

static int check_cidrs(const struct state *s)
{
	struct tsw_prefix *cidr = calloc(2 * s->n_policies + 1, sizeof(*cidr));
	size_t i = 0, n;
	__u32 tenant;
	int err = cidr ? 0 : fail_memory();

	while (!err && i < s->n_policies) {
		tenant = s->policy[i].tenant;
		for (n = 0; i < s->n_policies && s->policy[i].tenant == tenant; i++)
			n = policy_spec_cidrs(&s->policy[i].spec, cidr, n);
		if (n)
			err = check_nested(s, tenant, cidr, n);
	}
	free(cidr);
	return err;
}

int state_check_policies(const struct state *s)
{
	int err = check_groups(s);

	err = err ?: check_names(s);
	err = err ?: check_members(s);
	return err ?: check_cidrs(s);
}
