// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "object/policy_change.h"
#include "object/policy_group.h"
#include "record/endpoint_find.h"
#include "record/policy_find.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

/* ---- groups ----------------------------------------------------------------------- */

static int check_new(const struct tsw *t, const struct tsw_name *tenant, __u32 id,
		     const struct tsw_name *name)
{
	const struct tsw_policy_name key = {.tenant = id, .name = *name};
	__u32 number;
	int err = map_get(&t->maps, MAP_POLICY_GROUPS, &key, &number);

	if (!err)
		return rule_has(tenant->s, "a group", name->s);
	return err == -ENOENT ? 0 : err;
}

/* The lowest number >= FROM without a group. GROUPS are sorted; *NEXT is the next to look at. */
static __u32 free_number(const struct policy_groups *groups, size_t *next, __u32 from)
{
	while (*next < groups->n && groups->all[*next].number <= from)
		from += groups->all[(*next)++].number == from;
	return from;
}

static int put_all(struct tsw *t, __u32 tenant, const struct tsw_name *name, size_t n)
{
	cleanup_policy_groups struct policy_groups groups = {};
	struct tsw_policy_name key = {.tenant = tenant};
	struct tsw_policy unused;
	__u32 number = 0;
	size_t next = 0, i;
	int err = policy_groups_read(t, tenant, &groups);

	err = err ?: rule_groups(tenant_name_of(t, tenant).s, groups.n, name, n);
	err = err ?: policy_make(t, tenant, &unused);
	for (i = 0; !err && i < n; i++) {
		key.name = name[i];
		number = free_number(&groups, &next, number + 1);
		err = map_put(&t->maps, MAP_POLICY_GROUPS, &key, &number);
	}
	while (err && i-- > 1) { /* the groups before the failed one */
		const struct failure why = *failure();

		key.name = name[i - 1];
		map_del(&t->maps, MAP_POLICY_GROUPS, &key);
		fail_again(&why);
	}
	return err;
}

int policy_groups_add(struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name,
		      size_t n)
{
	struct tsw_tenant unused;
	__u32 id;
	size_t i;
	int err = tenant_find(t, tenant, &id, &unused);

	for (i = 0; !err && i < n; i++)
		err = check_new(t, tenant, id, &name[i]);
	return err ?: put_all(t, id, name, n);
}

static bool has(const struct tsw_policy_member *member, __u32 number)
{
	int i;

	for (i = 0; i < TSW_POLICY_MEMBER; i++)
		if (member->group[i] == number)
			return true;
	return false;
}

/* Refuses with the name of the endpoint that has the MAC. */
static int refuse_member(const struct tsw *t, const struct tsw_fdb_key *key)
{
	struct tsw_name name;
	int err = endpoint_by_mac(t, key->tenant, &key->mac, &name);

	if (err == -ENOENT)
		return fail(EBUSY, "the group has a member with MAC %s", mac_text(&key->mac));
	return err ?: rule_group_member(name.s);
}

static int check_members(const struct tsw *t, __u32 tenant, __u32 number)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_POLICY_MEMBERS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_fdb_key *key = row_key(&rows, i);

		if (key->tenant == tenant && has(row_value(&rows, i), number))
			return refuse_member(t, key);
	}
	return err;
}

static int check_rules(const struct tsw *t, __u32 tenant, __u32 number)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_POLICY_RULES, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_policy_name *name = row_key(&rows, i);
		const struct tsw_policy_rule *rule = row_value(&rows, i);

		if (name->tenant == tenant && (rule->from.who == number || rule->to.who == number))
			return rule_group_named(name->name.s);
	}
	return err;
}

int policy_group_del(struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name)
{
	struct tsw_policy_name key = {.name = *name};
	struct tsw_tenant unused;
	__u32 number;
	int err = tenant_find(t, tenant, &key.tenant, &unused);

	err = err ?: policy_group_find(t, key.tenant, name, &number);
	err = err ?: check_members(t, key.tenant, number);
	err = err ?: check_rules(t, key.tenant, number);
	return err ?: map_del(&t->maps, MAP_POLICY_GROUPS, &key);
}

/* ---- members ---------------------------------------------------------------------- */

int member_find(const struct tsw *t, __u32 tenant, const struct tsw_group_list *list,
		struct tsw_policy_member *member)
{
	__u32 number, i;
	int err = 0;

	*member = (struct tsw_policy_member){};
	for (i = 0; !err && i < list->n; i++) {
		err = policy_group_find(t, tenant, &list->at[i], &number);
		if (!err)
			member->group[i] = (__u16)number;
	}
	return err;
}

int member_put(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
	       const struct tsw_policy_member *member)
{
	const struct tsw_fdb_key key = {.tenant = tenant, .mac = *mac};
	const bool any = policy_member_any(member);
	struct tsw_policy_member old;
	int err = policy_member_load(t, tenant, mac, &old);

	if (err || !memcmp(&old, member, sizeof(old)))
		return err;
	err = any ? map_put(&t->maps, MAP_POLICY_MEMBERS, &key, member)
		  : map_del(&t->maps, MAP_POLICY_MEMBERS, &key);
	return err ?: policy_count(t, tenant, any - policy_member_any(&old));
}
