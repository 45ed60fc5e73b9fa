// SPDX-License-Identifier: GPL-2.0-only
/* Groups and rules of the cluster's records. */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/json.h"
#include "base/text.h"
#include "cluster/group.h"
#include "cluster/policy.h"
#include "cmd/cmd.h"
#include "cmd/records.h"
#include "record/fields.h"

/* ---- groups ----------------------------------------------------------------------- */

int cmd_c_group_add(struct cli *cli, const struct words *w)
{
	struct tsw_name *name;
	struct records *r;
	size_t n;
	int err = groups_read(w, &name, &n);

	err = err ?: records_begin(cli, &r);
	err = err ?: cluster_groups_add(r, &w->name, name, n);
	free(name);
	return err;
}

int cmd_c_group_del(struct cli *cli, const struct words *w)
{
	struct records *r;
	int err = records_begin(cli, &r);

	return err ?: cluster_group_del(r, &w->name, &w->second);
}

static int add_group(void *list, const struct cluster_group *group)
{
	json_array_append_new(
		list, json_pack("{s:o, s:o, s:I, s:I}", "tenant", json_text(group->tenant.s),
				"name", json_text(group->name.s), "endpoints",
				(json_int_t)group->endpoints, "rules", (json_int_t)group->rules));
	return 0;
}

int cmd_c_group_show(struct cli *cli, const struct words *w)
{
	json_t *list = json_array();
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	err = err ?: cluster_groups(r, &w->name, &refused, add_group, list);
	return records_show(cli, list, refused, err);
}

/* ---- rules ------------------------------------------------------------------------ */

static int make(struct cli *cli, const struct words *w, enum spec_how how)
{
	struct tsw_policy_spec spec = w->policy;
	struct records *r;
	int err = records_begin(cli, &r);

	spec.name = w->second;
	return err ?: cluster_policy_put(r, &w->name, &spec, w->given & ~(W_NAME | W_SECOND), how);
}

int cmd_c_policy_add(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_ADD);
}

int cmd_c_policy_replace(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_PUT);
}

int cmd_c_policy_set(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_SET);
}

int cmd_c_policy_del(struct cli *cli, const struct words *w)
{
	struct records *r;
	int err = records_begin(cli, &r);

	return err ?: cluster_policy_del(r, &w->name, &w->second);
}

/* As cmd_policy.c's, but for what each switch counts itself. */
static int add_policy(void *list, const char *tenant, const struct tsw_policy_spec *spec)
{
	json_t *item = json_pack("{s:o}", "tenant", json_text(tenant));
	json_t *fields = fields_json(policy_fields, ~0ULL, spec);

	json_object_update(item, fields);
	json_decref(fields);
	json_array_append_new(list, item);
	return 0;
}

int cmd_c_policy_show(struct cli *cli, const struct words *w)
{
	json_t *list = json_array();
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	err = err ?: cluster_policies(r, &w->name, &w->second, &refused, add_policy, list);
	if (!err && w->given & W_SECOND && !json_array_size(list))
		err = rule_lacks(w->name.s, "policy", w->second.s);
	return records_show(cli, list, refused, err);
}
