// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>

#include "cmd/cmd.h"
#include "cmd/show.h"
#include "tools/doctor/parts.h"

enum { LINES = 12, DROP_LINES = 5 }; /* of each part: one page in all */

/* The word of its lines, its key in JSON, and a field that says what is wrong: that comes first. */
static const struct part {
	const char *word, *key;
	size_t most;
	const char *field;
	bool bad; /* its value then */
} parts[] = {
	{"agent", "agents", 1},		{"host", "hosts", LINES, "alive", false},
	{"tenant", "tenants", LINES},	{"gateway", "gateways", LINES, "down", true},
	{"drops", "drops", DROP_LINES},
};

static int read_all(struct tsw *t, json_t *all)
{
	int err = part_agent(t, json_object_get(all, "agents"));

	err = err ?: part_hosts(t, json_object_get(all, "hosts"));
	err = err ?: part_tenants(t, json_object_get(all, "tenants"));
	err = err ?: part_gateways(t, json_object_get(all, "gateways"));
	return err ?: part_drops(t, json_object_get(all, "drops"));
}

/* What of the settings stands on the page. */
static json_t *head(const json_t *settings)
{
	static const char *const keys[] = {"name",	"dev",		 "local",   "underlay_mtu",
					   "endpoints", "max_endpoints", "version", "outdated"};
	json_t *line = json_object();
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_object_set(line, keys[i], json_object_get(settings, keys[i]));
	return json_pack("[o]", line);
}

static bool is_bad(const struct part *p, const json_t *item)
{
	const json_t *value = p->field ? json_object_get(item, p->field) : NULL;

	return p->bad ? json_is_true(value) : json_is_false(value);
}

static void print_part(const struct part *p, const json_t *list)
{
	json_t *sorted = json_array(), *item;
	size_t i, n_bad;

	json_array_foreach(list, i, item)
		if (is_bad(p, item))
			json_array_append(sorted, item);
	n_bad = json_array_size(sorted);
	json_array_foreach(list, i, item)
		if (!is_bad(p, item))
			json_array_append(sorted, item);
	out_lines(p->word, sorted, p->most, n_bad);
	json_decref(sorted);
}

static void print_page(const json_t *all)
{
	json_t *first = head(json_object_get(all, "switch"));
	size_t i;

	out_lines("switch", first, 1, 0);
	json_decref(first);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		print_part(&parts[i], json_object_get(all, parts[i].key));
}

int cmd_status(struct cli *cli, const struct words *w)
{
	json_t *all = json_object(), *settings;
	size_t i;
	int err = show_switch_settings(&cli->tsw, &settings);

	(void)w;
	json_object_set_new(all, "switch", settings);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		json_object_set_new(all, parts[i].key, json_array());
	err = err ?: read_all(&cli->tsw, all);
	if (!err && cli->out.json)
		out_object(&cli->out, json_incref(all));
	else if (!err)
		print_page(all);
	json_decref(all);
	return err;
}
