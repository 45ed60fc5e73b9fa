// SPDX-License-Identifier: GPL-2.0-only

#include "base/err.h"
#include "base/field_json.h"
#include "base/parse.h"
#include "lib/lib.h"
#include "object/policy_group.h"
#include "object/spec.h"
#include "record/policy_find.h"
#include "record/policy_list.h"
#include "record/policy_spec.h"
#include "record/tenant_find.h"

/* ---- groups ----------------------------------------------------------------------- */

int tsw_group_add(struct tsw *t, const char *tenant, const char *name)
{
	struct tsw_name of, group;
	int err = lib_name(tenant, &of);

	err = err ?: (name ? parse_group(name, &group) : misuse("a name is missing"));
	err = err ?: lib_write(t);
	return err ?: policy_groups_add(t, &of, &group, 1);
}

int tsw_group_del(struct tsw *t, const char *tenant, const char *name)
{
	struct tsw_name of, group;
	int err = lib_name(tenant, &of);

	err = err ?: lib_name(name, &group);
	err = err ?: lib_write(t);
	return err ?: policy_group_del(t, &of, &group);
}

/* ---- rules ------------------------------------------------------------------------ */

static int policy(struct tsw *t, const char *tenant, const struct tsw_policy_spec *spec,
		  enum spec_how how)
{
	const struct json_keys keys = {policy_fields, ~0ULL,
				       FIELD(POLICY_NAME) | FIELD(POLICY_PRIORITY)};
	struct tsw_policy_spec clean = {};
	struct tsw_name of;
	int err = lib_name(tenant, &of);

	err = err ?: fields_clean(keys, spec, &clean);
	err = err ?: policy_spec_check(&clean);
	err = err ?: lib_write(t);
	return err ?: spec_policy(t, &of, &clean, ~0ULL, how);
}

int tsw_policy_add(struct tsw *t, const char *tenant, const struct tsw_policy_spec *spec)
{
	return policy(t, tenant, spec, SPEC_ADD);
}

int tsw_policy_put(struct tsw *t, const char *tenant, const struct tsw_policy_spec *spec)
{
	return policy(t, tenant, spec, SPEC_PUT);
}

int tsw_policy_get(struct tsw *t, const char *tenant, const char *name,
		   struct tsw_policy_spec *spec)
{
	struct tsw_name of, rule;
	int err = lib_name(tenant, &of);

	err = err ?: lib_name(name, &rule);
	err = err ?: lib_read(t);
	return err ?: spec_get_policy(t, &of, &rule, spec);
}

int tsw_policy_del(struct tsw *t, const char *tenant, const char *name)
{
	struct tsw_name of, rule;
	int err = lib_name(tenant, &of);

	err = err ?: lib_name(name, &rule);
	err = err ?: lib_write(t);
	return err ?: spec_policy_del(t, &of, &rule);
}

/* ---- lists ------------------------------------------------------------------------ */

static int find_tenant(struct tsw *t, const char *tenant, __u32 *id)
{
	struct tsw_name name;
	int err = lib_name(tenant, &name);

	err = err ?: lib_read(t);
	return err ?: tenant_id(t, &name, id);
}

int tsw_groups(struct tsw *t, const char *tenant,
	       int (*each)(void *context, const struct tsw_name *name), void *context)
{
	cleanup_policy_groups struct policy_groups groups = {};
	__u32 id;
	size_t i;
	int result = find_tenant(t, tenant, &id);

	if (!result)
		result = policy_groups_read(t, id, &groups);
	if (!result)
		policy_groups_sort(&groups);
	for (i = 0; !result && i < groups.n; i++)
		result = each(context, &groups.all[i].name);
	return result < 0 ? result : 0;
}

int tsw_policies(struct tsw *t, const char *tenant,
		 int (*each)(void *context, const struct tsw_policy_spec *spec), void *context)
{
	cleanup_policies struct policies all = {};
	__u32 id;
	size_t i;
	int result = find_tenant(t, tenant, &id);

	if (!result)
		result = policies_read(t, id, &all);
	for (i = 0; !result && i < all.n; i++)
		result = each(context, &all.row[i].spec);
	return result < 0 ? result : 0;
}
