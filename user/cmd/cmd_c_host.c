// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/json.h"
#include "base/text.h"
#include "cluster/hosts.h"
#include "cmd/cmd.h"
#include "cmd/records.h"
#include "record/fields.h"

static int make(struct cli *cli, const struct words *w, enum spec_how how)
{
	const struct tsw_host_spec spec = {
		.name = w->name, .ip = w->host.ip, .zone = w->host.zone, .key = w->host.key};
	struct records *r;
	int err = records_begin(cli, &r);

	return err ?: cluster_host_make(r, &spec, w->given, how);
}

int cmd_c_host_add(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_ADD);
}

int cmd_c_host_replace(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_PUT);
}

int cmd_c_host_set(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_SET);
}

int cmd_c_host_del(struct cli *cli, const struct words *w)
{
	struct records *r;
	int err = records_begin(cli, &r);

	if (!err && w->option.force)
		err = cluster_host_empty(r, &w->name);
	return err ?: cluster_host_remove(r, &w->name);
}

struct shown {
	const struct records *r;
	const struct tsw_name *name; /* empty: all */
	json_t *list;
	struct look counts; /* of endpoints, in the order of the list */
};

/* As cmd_host.c's. */
static int add(void *context, const struct tsw_host_spec *spec)
{
	struct shown *shown = context;
	struct record_range range;
	json_t *fields;

	if (*shown->name->s && strcmp(shown->name->s, spec->name.s) != 0)
		return 0;
	fields = fields_json(host_fields, HOST_TOLD, spec);
	json_array_append_new(
		shown->list,
		json_pack("{s:o, s:O, s:O, s:O*, s:O*}", "name", json_text(spec->name.s), "ip",
			  json_array_get(json_object_get(fields, "ip"), 0), "ips",
			  json_object_get(fields, "ip"), "zone", json_object_get(fields, "zone"),
			  "key", json_object_get(fields, "key")));
	json_decref(fields);
	range = record_range(shown->r, "at/%s/", spec->name.s);
	look_count(&shown->counts, &range);
	return 0;
}

int cmd_c_host_show(struct cli *cli, const struct words *w)
{
	struct shown shown = {.name = &w->name, .list = json_array()};
	struct records *r;
	size_t refused = 0, i;
	__s64 revision;
	json_t *item;
	int err = records_begin(cli, &r);

	shown.r = r;
	err = err ?: cluster_hosts(r->e, &r->m, &revision, &refused, add, &shown);
	if (!err && *w->name.s && !json_array_size(shown.list))
		err = rule_missing("host", w->name.s);
	err = err ?: look_read(r, &shown.counts);
	json_array_foreach(shown.list, i, item)
		if (!err)
			json_object_set_new(item, "endpoints",
					    json_integer(shown.counts.at[i].count));
	look_end(&shown.counts);
	return records_show(cli, shown.list, refused, err);
}
