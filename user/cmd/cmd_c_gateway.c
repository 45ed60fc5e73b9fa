// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/json.h"
#include "base/text.h"
#include "cluster/gateway.h"
#include "cmd/cmd.h"
#include "cmd/records.h"
#include "record/fields.h"

/* Who keeps the flows for how long is between two switches. */
static int refuse_drain(const struct words *w)
{
	if (!(w->given & FIELD(GATEWAY_DRAIN)))
		return 0;
	return misuse("\"drain\" is a switch's own: with -c the gateway moves at once");
}

static int make(struct cli *cli, const struct words *w, enum spec_how how)
{
	struct records *r;
	int err = refuse_drain(w);

	err = err ?: records_begin(cli, &r);
	return err ?: cluster_gateway_put(r, &w->name, &w->gateway, w->given & ~W_NAME, how);
}

int cmd_c_gateway_add(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_ADD);
}

int cmd_c_gateway_replace(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_PUT);
}

int cmd_c_gateway_set(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_SET);
}

int cmd_c_gateway_del(struct cli *cli, const struct words *w)
{
	struct records *r;
	int err = records_begin(cli, &r);

	return err ?: cluster_gateway_del(r, &w->name, w->option.force);
}

/* In their order; NULL: there is one at most. */
static json_t *hosts_json(const struct tsw_gateway_spec *spec)
{
	json_t *list = spec->backup.n ? json_pack("[o]", json_text(spec->host.s)) : NULL;
	__u32 i;

	for (i = 0; i < spec->backup.n; i++)
		json_array_append_new(list, json_text(spec->backup.at[i].s));
	return list;
}

/* As cmd_gateway.c's; host is null where each serves its own. */
static int add(void *list, const char *tenant, const struct tsw_gateway_spec *spec)
{
	const bool all = !*spec->host.s;
	json_t *fields =
		fields_json(gateway_fields,
			    FIELD(GATEWAY_IP) | FIELD(GATEWAY_SNAT) | FIELD(GATEWAY_RESOLVER) |
				    FIELD(GATEWAY_FAST) | FIELD(GATEWAY_METADATA),
			    spec);

	json_array_append_new(
		list, json_pack("{s:o, s:O, s:s, s:o, s:b, s:b, s:O, s:o*, s:O*, s:O*, s:O*}",
				"tenant", json_text(tenant), "ip", json_object_get(fields, "ip"),
				"mac", mac_text(&spec->mac), "host",
				all ? json_null() : json_text(spec->host.s), "everywhere", all,
				"nat", spec->nat, "snat", json_object_get(fields, "snat"), "hosts",
				hosts_json(spec), "resolver", json_object_get(fields, "resolver"),
				"fast", json_object_get(fields, "fast"), "metadata",
				json_object_get(fields, "metadata")));
	json_decref(fields);
	fields = fields_json(gateway_fields, GATEWAY_TRACKING, spec);
	json_object_update(json_array_get(list, json_array_size(list) - 1), fields);
	json_decref(fields);
	return 0;
}

int cmd_c_gateway_show(struct cli *cli, const struct words *w)
{
	json_t *list = json_array();
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	err = err ?: cluster_gateways(r, &w->name, &refused, add, list);
	return records_show(cli, list, refused, err);
}
