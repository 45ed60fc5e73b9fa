// SPDX-License-Identifier: GPL-2.0-only
#include "base/json.h"
#include "cmd/plan.h"
#include "state/report.h"

static json_t *part_json(const char *object, const char *name)
{
	return json_pack("{s:s, s:o}", "object", object, "name", json_text(name));
}

static json_t *change_json(const char *change, const json_t *part)
{
	return json_pack("{s:s, s:O, s:O}", "change", change, "object",
			 json_object_get(part, "object"), "name", json_object_get(part, "name"));
}

void plan_add(json_t *plan, const char *change, const char *object, const char *name)
{
	json_t *part = part_json(object, name);

	json_array_append_new(plan, change_json(change, part));
	json_decref(part);
}

/* A record that is there is written again, also if it stays the same. */
void plan_record(void *plan, const struct etcd_op *op, __s64 count)
{
	if (op->kind == ETCD_PUT)
		plan_add(plan, count ? "set" : "add", "record", op->range.key);
	else if (count)
		plan_add(plan, "del", "record", op->range.key);
}

void plan_etcd(const struct cli *cli, struct etcd *e)
{
	if (cli->plan && e)
		etcd_dry(e, plan_record, cli->plan);
}

/* ---- parts ------------------------------------------------------------------------ */

void plan_part(json_t *parts, const char *object, const char *name, json_t *fields)
{
	json_t *part = part_json(object, name);

	json_object_set_new(part, "fields", fields ? fields : json_object());
	json_array_append_new(parts, part);
}

static const json_t *find(const json_t *parts, const json_t *like)
{
	const json_t *part;
	size_t i;

	json_array_foreach(parts, i, part)
		if (json_equal(json_object_get(part, "object"), json_object_get(like, "object")) &&
		    json_equal(json_object_get(part, "name"), json_object_get(like, "name")))
			return part;
	return NULL;
}

static void add_new(json_t *plan, const json_t *part)
{
	json_t *item = change_json("add", part);

	json_object_update(item, json_object_get(part, "fields"));
	json_array_append_new(plan, item);
}

static void add_differing(json_t *plan, const json_t *is, const json_t *part)
{
	json_t *item = change_json("set", part);

	if (state_add_differing(item, json_object_get(is, "fields"),
				json_object_get(part, "fields"), true))
		json_array_append(plan, item);
	json_decref(item);
}

void plan_parts(json_t *plan, const json_t *have, const json_t *want)
{
	const json_t *part, *is;
	size_t i;

	json_array_foreach(have, i, part)
		if (!find(want, part))
			json_array_append_new(plan, change_json("del", part));
	json_array_foreach(want, i, part) {
		is = find(have, part);
		if (is)
			add_differing(plan, is, part);
		else
			add_new(plan, part);
	}
}
