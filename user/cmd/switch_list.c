// SPDX-License-Identifier: GPL-2.0-only
#include "base/json.h"
#include "base/text.h"
#include "base/version.h"
#include "cmd/cmd.h"
#include "kernel/system.h"
#include "store/config.h"
#include "store/pins.h"
#include "switch/session.h"

static json_t *locals_json(const struct tsw_config *c)
{
	json_t *list = json_array();
	int family;

	for (family = 0; family < TSW_FAMILIES; family++)
		if (!addr_is_none(&c->local[family]))
			json_array_append_new(list, json_string(addr_text(&c->local[family])));
	return list;
}

/* A switch that is half made, or that a newer tsw made, is listed without what is not known. */
static int add(void *context, const char *instance)
{
	struct tsw t = TSW_CLOSED;
	json_t *item = json_pack("{s:o}", "instance", json_text(instance));
	const struct tsw_config *c = &t.config;

	t.instance = instance;
	if (config_read(&t))
		json_object_set_new(item, "name", json_null());
	else if (c->abi > TSW_ABI_VERSION)
		json_object_update_new(item,
				       json_pack("{s:n, s:I}", "name", "abi", (json_int_t)c->abi));
	else
		json_object_update_new(item, json_pack("{s:o, s:o, s:I, s:s?}", "name",
						       json_text(c->name), "local", locals_json(c),
						       "abi", (json_int_t)c->abi, "version",
						       version_text(c->version)));
	json_array_append_new(context, item);
	return 0;
}

int cmd_switch_list(struct cli *cli, const struct words *w)
{
	json_t *list = json_array();
	int err = system_check_capabilities();

	(void)w;
	err = err ?: pins_each(add, list);
	if (err)
		json_decref(list);
	else
		out_list(&cli->out, list);
	return err;
}
