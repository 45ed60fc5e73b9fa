// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "agent/here.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cluster/endpoint.h"
#include "cmd/cmd.h"
#include "cmd/records.h"
#include "kernel/link.h"
#include "record/limits.h"
#include "store/pins.h"

static bool gives(const struct words *w, enum endpoint_field field)
{
	return w->given & FIELD(field);
}

struct listing {
	json_t *list;
	bool all; /* also groups that are none, as in JSON */
};

static json_t *group_names(const struct tsw_group_list *group)
{
	json_t *names = json_array();
	__u32 i;

	for (i = 0; i < group->n; i++)
		json_array_append_new(names, json_text(group->at[i].s));
	return names;
}

/* As cmd_endpoint.c's; dev is that host's. */
static int add(void *context, const struct tsw_endpoint_spec *spec)
{
	const struct listing *l = context;
	json_t *ips = json_array(), *item;
	unsigned int i;

	for (i = 0; i < spec->ip.n; i++)
		json_array_append_new(ips, json_string(addr_text(&spec->ip.at[i])));
	item = json_pack("{s:o, s:o, s:s, s:o, s:o}", "name", json_text(spec->name.s), "tenant",
			 json_text(spec->tenant.s), "mac", mac_text(&spec->mac), "ip", ips, "host",
			 json_text(spec->host.s));
	if (spec->dev[0])
		json_object_set_new(item, "dev", json_text(spec->dev));
	if (spec->to_host.s[0])
		json_object_set_new(item, "to_host", json_text(spec->to_host.s));
	if (spec->to_dev[0])
		json_object_set_new(item, "to_dev", json_text(spec->to_dev));
	limits_json(&spec->limits, item);
	if (spec->server)
		json_object_set_new(item, "server", json_true());
	if (l->all || spec->group.n)
		json_object_set_new(item, "group", group_names(&spec->group));
	json_array_append_new(l->list, item);
	return 0;
}

/* Before anything is written: what cannot be here, though a switch is up. */
static int check_device(const struct cli *cli, const struct words *w)
{
	struct link dev;
	int err = 0;

	if (!pins_exist(cli->tsw.instance))
		return 0;
	if (gives(w, ENDPOINT_DEV))
		err = link_by_name(w->endpoint.dev, &dev);
	if (!err && gives(w, ENDPOINT_TO_DEV))
		err = link_by_name(w->endpoint.to_dev, &dev);
	return err;
}

/* Where it is this host's, as far as is known. */
static int settle(struct cli *cli, const struct records *r, const struct tsw_endpoint_spec *got,
		  bool gone)
{
	const bool lives = !strcmp(got->host.s, r->m.host.s);
	const bool comes = !strcmp(got->to_host.s, r->m.host.s);

	if (!(lives && got->dev[0]) && !(comes && got->to_dev[0]))
		return 0;
	return here_endpoint(&cli->tsw, &r->m, got, gone, records_wait_ms(cli));
}

/* Told is what was chosen: nobody else knows it. */
static int make(struct cli *cli, const struct words *w, enum spec_how how)
{
	const bool whole = gives(w, ENDPOINT_MAC) && gives(w, ENDPOINT_IP);
	struct tsw_endpoint_spec spec = w->endpoint, got;
	struct listing l = {.all = cli->out.json};
	struct records *r;
	int err = check_device(cli, w);

	err = err ?: records_begin(cli, &r);
	spec.name = w->name;
	spec.automatic = w->automatic;
	err = err ?: cluster_endpoint_put(r, &spec, w->given & ~W_NAME, how, &got);
	err = err ?: settle(cli, r, &got, false);
	if (err || (!w->automatic && (whole || how == SPEC_SET)))
		return err;
	l.list = json_array();
	add(&l, &got);
	return records_show(cli, l.list, 0, 0);
}

int cmd_c_endpoint_add(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_ADD);
}

int cmd_c_endpoint_replace(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_PUT);
}

int cmd_c_endpoint_set(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_SET);
}

int cmd_c_endpoint_del(struct cli *cli, const struct words *w)
{
	struct tsw_endpoint_spec was;
	struct records *r;
	int err = records_begin(cli, &r);

	err = err ?: cluster_endpoint_del(r, &w->endpoint.tenant, &w->name, &was);
	return err ?: settle(cli, r, &was, true);
}

int cmd_c_endpoint_show(struct cli *cli, const struct words *w)
{
	struct listing l = {json_array(), cli->out.json};
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	err = err ?: cluster_endpoints(r, &w->endpoint.tenant, &w->name, &refused, add, &l);
	if (!err && !json_array_size(l.list) && w->given & W_NAME)
		err = rule_missing("endpoint", w->name.s);
	return records_show(cli, l.list, refused, err);
}
