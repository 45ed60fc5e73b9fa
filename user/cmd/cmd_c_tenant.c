// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "cluster/tenant.h"
#include "cmd/cmd.h"
#include "cmd/records.h"
#include "cmd/shown.h"

struct listing {
	json_t *list;
	bool all; /* also what is not said, as in JSON */
};

/* The MTU is null where each host's underlay says it. */
static int add(void *context, const struct tsw_tenant_spec *spec, __s64 endpoints)
{
	const struct listing *l = context;

	json_array_append_new(l->list, shown_tenant(spec, l->all, endpoints));
	return 0;
}

static int make(struct cli *cli, const struct words *w, enum spec_how how)
{
	struct tsw_tenant_spec spec = w->tenant, got;
	const bool chosen = !(w->given & FIELD(TENANT_ID)) || w->automatic & TSW_AUTO_ID;
	struct listing l = {json_array(), cli->out.json};
	struct records *r;
	int err = records_begin(cli, &r);

	spec.name = w->name;
	spec.automatic = w->automatic;
	err = err ?: cluster_tenant_put(r, &spec, w->given & ~W_NAME, how, &got);
	if (!err && how != SPEC_SET && chosen)
		err = cluster_tenant_one(r, &got.name, add, &l);
	if (!err && json_array_size(l.list))
		return records_show(cli, l.list, 0, 0);
	json_decref(l.list);
	return err;
}

int cmd_c_tenant_add(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_ADD);
}

int cmd_c_tenant_replace(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_PUT);
}

int cmd_c_tenant_set(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_SET);
}

int cmd_c_tenant_del(struct cli *cli, const struct words *w)
{
	struct records *r;
	int err = records_begin(cli, &r);

	return err ?: cluster_tenant_del(r, &w->name, w->option.force);
}

int cmd_c_tenant_show(struct cli *cli, const struct words *w)
{
	struct listing l = {json_array(), cli->out.json};
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	if (!err)
		err = w->given & W_NAME ? cluster_tenant_one(r, &w->name, add, &l)
					: cluster_tenants(r, &refused, add, &l);
	return records_show(cli, l.list, refused, err);
}
