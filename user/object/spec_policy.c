// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "object/policy.h"
#include "object/spec.h"
#include "record/policy_find.h"
#include "record/policy_spec.h"
#include "record/tenant_find.h"

/* cidrs_number() sets the number of a network later. */
static int read_end(const struct tsw *t, __u32 tenant, const struct tsw_policy_who *who,
		    struct tsw_policy_end *end)
{
	__u32 number;
	int err = 0;

	*end = (struct tsw_policy_end){.who = TSW_POLICY_ANY};
	if (who->who == TSW_WHO_CIDR)
		*end = (struct tsw_policy_end){TSW_POLICY_CIDR, (__u16)who->cidr.len,
					       who->cidr.addr};
	if (who->who != TSW_WHO_GROUP)
		return 0;
	err = policy_group_find(t, tenant, &who->group, &number);
	if (!err)
		end->who = (__u16)number;
	return err;
}

static int read_rule(const struct tsw *t, __u32 tenant, const struct tsw_policy_spec *spec,
		     struct tsw_policy_rule *rule)
{
	int err = policy_spec_check(spec);

	*rule = (struct tsw_policy_rule){
		.first = (__u16)spec->port.first,
		.last = (__u16)spec->port.last,
		.priority = (__u16)spec->priority,
		.proto = policy_proto_number(spec->proto),
		.action = (__u8)spec->action,
		.flags = spec->log ? TSW_RULE_LOG : 0,
	};
	err = err ?: read_end(t, tenant, &spec->from, &rule->from);
	return err ?: read_end(t, tenant, &spec->to, &rule->to);
}

/* Reads the rule into *OLD, if *THERE. */
static int find(const struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name,
		struct tsw_policy_name *key, struct tsw_policy_rule *old, bool *there)
{
	struct tsw_tenant unused;
	int err;

	*key = (struct tsw_policy_name){.name = *name};
	*there = false;
	err = tenant_find(t, tenant, &key->tenant, &unused);
	if (err)
		return err;
	err = map_get(&t->maps, MAP_POLICY_RULES, key, old);
	*there = !err;
	return err == -ENOENT ? 0 : err;
}

static int find_old(const struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name,
		    struct tsw_policy_name *key, struct tsw_policy_rule *old)
{
	bool there;
	int err = find(t, tenant, name, key, old, &there);

	return err || there ? err : rule_lacks(tenant->s, "policy", name->s);
}

/* The public form of a rule. */
static int load(const struct tsw *t, const struct tsw_policy_name *key,
		const struct tsw_policy_rule *rule, struct tsw_policy_spec *spec)
{
	cleanup_policy_groups struct policy_groups groups = {};
	int err = policy_groups_read(t, key->tenant, &groups);

	if (!err)
		*spec = policy_rule_spec(&groups, key, rule);
	return err;
}

int spec_policy(struct tsw *t, const struct tsw_name *tenant, const struct tsw_policy_spec *spec,
		__u64 given, enum spec_how how)
{
	struct tsw_policy_spec whole = TSW_POLICY_DEFAULTS;
	struct tsw_policy_rule old, want;
	struct tsw_policy_name key;
	bool there;
	int err = find(t, tenant, &spec->name, &key, &old, &there);

	if (!err && there && how == SPEC_ADD)
		err = rule_has(tenant->s, "a policy", spec->name.s);
	if (!err && !there && how == SPEC_SET)
		err = rule_lacks(tenant->s, "policy", spec->name.s);
	if (!err && how == SPEC_SET)
		err = load(t, &key, &old, &whole);
	if (err)
		return err;
	policy_spec_take(spec, given & ~FIELD(POLICY_NAME), &whole);
	err = read_rule(t, key.tenant, &whole, &want);
	return err ?: policy_rule_put(t, &key, there ? &old : NULL, &want);
}

int spec_policy_del(struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name)
{
	struct tsw_policy_name key;
	struct tsw_policy_rule old;
	int err = find_old(t, tenant, name, &key, &old);

	return err ?: policy_rule_del(t, &key, &old);
}

int spec_get_policy(const struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name,
		    struct tsw_policy_spec *spec)
{
	struct tsw_policy_name key;
	struct tsw_policy_rule old;
	int err = find_old(t, tenant, name, &key, &old);

	return err ?: load(t, &key, &old, spec);
}
