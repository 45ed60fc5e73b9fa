// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/field_json.h"
#include "base/json.h"
#include "cluster/tenant.h"
#include "cmd/cmd.h"
#include "cmd/records.h"
#include "object/fair.h"
#include "record/tenant_find.h"

/* As cmd_tenant.c's; mtu is null where each host's underlay says it. */
static int add(void *list, const struct tsw_tenant_spec *spec, __s64 endpoints)
{
	json_t *item = json_pack("{s:o, s:I, s:s, s:o, s:b, s:I}", "name", json_text(spec->name.s),
				 "id", (json_int_t)spec->id, "encap", encap_text(spec->encap),
				 "mtu", spec->mtu ? json_integer(spec->mtu) : json_null(),
				 "broadcast", spec->broadcast, "endpoints", (json_int_t)endpoints);
	json_t *rest = fields_json(tenant_fields, TENANT_ANSWERED, spec);

	limits_json(&spec->limits, item);
	fair_json(&spec->limits, item);
	json_object_update(item, rest);
	json_decref(rest);
	if (spec->description.text[0])
		json_object_set_new(item, "description", json_text(spec->description.text));
	json_array_append_new(list, item);
	return 0;
}

static int make(struct cli *cli, const struct words *w, enum record_how how)
{
	struct tsw_tenant_spec spec = w->tenant, got;
	const bool chosen = !(w->given & FIELD(TENANT_ID)) || w->automatic & TSW_AUTO_ID;
	json_t *list = json_array();
	struct records *r;
	int err = records_begin(cli, &r);

	spec.name = w->name;
	spec.automatic = w->automatic;
	err = err ?: cluster_tenant_put(r, &spec, w->given & ~W_NAME, how, &got);
	if (!err && how != RECORD_SET && chosen)
		err = cluster_tenant_one(r, &got.name, add, list);
	if (!err && json_array_size(list))
		return records_show(cli, list, 0, 0);
	json_decref(list);
	return err;
}

int cmd_c_tenant_add(struct cli *cli, const struct words *w)
{
	return make(cli, w, RECORD_ADD);
}

int cmd_c_tenant_replace(struct cli *cli, const struct words *w)
{
	return make(cli, w, RECORD_PUT);
}

int cmd_c_tenant_set(struct cli *cli, const struct words *w)
{
	return make(cli, w, RECORD_SET);
}

int cmd_c_tenant_del(struct cli *cli, const struct words *w)
{
	struct records *r;
	int err = records_begin(cli, &r);

	return err ? err : cluster_tenant_del(r, &w->name, w->option.force);
}

int cmd_c_tenant_show(struct cli *cli, const struct words *w)
{
	json_t *list = json_array();
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	if (!err)
		err = w->given & W_NAME ? cluster_tenant_one(r, &w->name, add, list)
					: cluster_tenants(r, &refused, add, list);
	return records_show(cli, list, refused, err);
}
