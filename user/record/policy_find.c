// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "record/policy_find.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

int policy_load(const struct tsw *t, __u32 tenant, struct tsw_policy *policy)
{
	return map_get_or_zero(&t->maps, MAP_POLICIES, &tenant, policy);
}

int policy_load_mode(const struct tsw *t, struct tsw_tenant_spec *spec)
{
	struct tsw_policy policy;
	int err = policy_load(t, spec->id, &policy);

	if (spec->policy != TSW_POLICY_OFF)
		spec->policy = policy.mode <= TSW_POLICY_ON ? policy.mode : TSW_POLICY_OFF;
	spec->deny = policy.deny ? TSW_POLICY_DENY : TSW_POLICY_ALLOW;
	return err;
}

/* ---- groups ----------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct policy_group *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

int policy_groups_read(const struct tsw *t, __u32 tenant, struct policy_groups *groups)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_POLICY_GROUPS, &rows);

	*groups = (struct policy_groups){};
	if (err)
		return err;
	groups->all = calloc(rows.n + 1, sizeof(*groups->all));
	if (!groups->all)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		const struct tsw_policy_name *key = row_key(&rows, i);

		if (!tenant || key->tenant == tenant)
			groups->all[groups->n++] = (struct policy_group){
				key->tenant, *(const __u32 *)row_value(&rows, i), key->name};
	}
	qsort(groups->all, groups->n, sizeof(*groups->all), compare);
	return 0;
}

void policy_groups_free(struct policy_groups *groups)
{
	free(groups->all);
}

static int compare_by_name(const void *a, const void *b)
{
	const struct policy_group *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	return strcmp(x->name.s, y->name.s);
}

void policy_groups_sort(struct policy_groups *groups)
{
	if (groups->n)
		qsort(groups->all, groups->n, sizeof(*groups->all), compare_by_name);
}

const struct policy_group *policy_group_get(const struct policy_groups *groups, __u32 tenant,
					    __u32 number)
{
	const struct policy_group key = {.tenant = tenant, .number = number};

	return groups->n ? bsearch(&key, groups->all, groups->n, sizeof(key), compare) : NULL;
}

/* The name of the group; empty: there is no such group. */
static struct tsw_name group_name(const struct policy_groups *groups, __u32 tenant, __u32 number)
{
	const struct policy_group *found = policy_group_get(groups, tenant, number);

	return found ? found->name : (struct tsw_name){};
}

int policy_group_find(const struct tsw *t, __u32 tenant, const struct tsw_name *name, __u32 *number)
{
	const struct tsw_policy_name key = {.tenant = tenant, .name = *name};
	int err = map_get(&t->maps, MAP_POLICY_GROUPS, &key, number);

	return err == -ENOENT ? rule_lacks(tenant_name_of(t, tenant).s, "group", name->s) : err;
}

int policy_member_load(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
		       struct tsw_policy_member *member)
{
	const struct tsw_fdb_key key = {.tenant = tenant, .mac = *mac};

	return map_get_or_zero(&t->maps, MAP_POLICY_MEMBERS, &key, member);
}

bool policy_member_any(const struct tsw_policy_member *member)
{
	return member->group[0];
}

int policy_members_count(const struct tsw *t, const struct policy_groups *groups, __u32 *n)
{
	cleanup_rows struct rows rows = {};
	const struct policy_group *found;
	size_t i;
	int err = map_rows(&t->maps, MAP_POLICY_MEMBERS, &rows), k;

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_fdb_key *key = row_key(&rows, i);
		const struct tsw_policy_member *member = row_value(&rows, i);

		for (k = 0; k < TSW_POLICY_MEMBER && member->group[k]; k++) {
			found = policy_group_get(groups, key->tenant, member->group[k]);
			if (found)
				n[found - groups->all]++;
		}
	}
	return err;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct tsw_name *)a)->s, ((const struct tsw_name *)b)->s);
}

struct tsw_group_list policy_member_names(const struct policy_groups *groups, __u32 tenant,
					  const struct tsw_policy_member *member)
{
	struct tsw_group_list list = {};
	struct tsw_name name;
	int i;

	for (i = 0; i < TSW_POLICY_MEMBER && member->group[i]; i++) {
		name = group_name(groups, tenant, member->group[i]);
		if (name.s[0])
			list.at[list.n++] = name;
	}
	qsort(list.at, list.n, sizeof(list.at[0]), compare_names);
	return list;
}

/* ---- rules ------------------------------------------------------------------------ */

static const __u8 protos[] = {
	[TSW_POLICY_PROTO_ANY] = 0,	  [TSW_POLICY_TCP] = IPPROTO_TCP,
	[TSW_POLICY_UDP] = IPPROTO_UDP,	  [TSW_POLICY_ICMP] = IPPROTO_ICMP,
	[TSW_POLICY_SCTP] = IPPROTO_SCTP,
};

__u8 policy_proto_number(__u32 proto)
{
	return protos[proto];
}

bool policy_proto_ports(__u32 proto)
{
	return proto == TSW_POLICY_TCP || proto == TSW_POLICY_UDP || proto == TSW_POLICY_SCTP;
}

static __u32 proto_of(__u8 number)
{
	__u32 proto;

	for (proto = TSW_POLICY_SCTP; proto && protos[proto] != number; proto--)
		;
	return proto;
}

static struct tsw_policy_who who_of(const struct policy_groups *groups, __u32 tenant,
				    const struct tsw_policy_end *end)
{
	if (end->who == TSW_POLICY_ANY)
		return (struct tsw_policy_who){};
	if (end->who & TSW_POLICY_CIDR)
		return (struct tsw_policy_who){.who = TSW_WHO_CIDR,
					       .cidr = {end->cidr, end->length}};
	return (struct tsw_policy_who){.who = TSW_WHO_GROUP,
				       .group = group_name(groups, tenant, end->who)};
}

struct tsw_policy_spec policy_rule_spec(const struct policy_groups *groups,
					const struct tsw_policy_name *name,
					const struct tsw_policy_rule *rule)
{
	return (struct tsw_policy_spec){.name = name->name,
					.from = who_of(groups, name->tenant, &rule->from),
					.to = who_of(groups, name->tenant, &rule->to),
					.proto = proto_of(rule->proto),
					.port = {rule->first, rule->last},
					.action = rule->action,
					.priority = rule->priority,
					.log = rule->flags & TSW_RULE_LOG};
}
