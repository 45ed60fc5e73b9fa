// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>

#include "agent/status.h"
#include "base/closed.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "base/version.h"
#include "check/check.h"
#include "cmd/cluster.h"
#include "cmd/cmd.h"
#include "cmd/crypt.h"
#include "cmd/plan_switch.h"
#include "cmd/show.h"
#include "door/nat_ports.h"
#include "kernel/system.h"
#include "kernel/tunnel.h"
#include "store/closed.h"
#include "store/config.h"
#include "store/pins.h"
#include "switch/session.h"
#include "switch/switch.h"
#include "upgrade/upgrade.h"
#include "wire/crypt.h"
#include "wire/underlay.h"

static struct tsw_switch_spec asked(const struct words *w)
{
	struct tsw_switch_spec want = w->up;

	want.given = w->given;
	return want;
}

int cmd_switch_up(struct cli *cli, const struct words *w)
{
	const struct tsw_switch_spec want = asked(w);

	return cli->plan ? plan_switch_up(cli, &want) : switch_up(&cli->tsw, &want);
}

int cmd_switch_down(struct cli *cli, const struct words *w)
{
	(void)w;
	return cli->plan ? plan_switch_down(cli) : switch_down(&cli->tsw);
}

int fit_switch_set(struct words *w)
{
	return w->given
		       ? 0
		       : misuse("nothing to set: say dev, local, xdp, zone, encrypt, wg-port, nat-ports or closed");
}

int cmd_switch_set(struct cli *cli, const struct words *w)
{
	const struct tsw_switch_spec want = asked(w);
	int err;

	if (cli->plan)
		return plan_switch_set(cli, &want);
	err = switch_set(&cli->tsw, &want);
	if (!err && want.given & FIELD(SWITCH_ENCRYPT))
		cluster_tell_own(cli, NULL);
	return err;
}

/* The underlay devices that exist. */
static json_t *devs_json(const struct tsw_config *c)
{
	unsigned int n = underlay_staying(c), i;
	json_t *list = json_array();
	struct link dev;

	for (i = 0; i < n; i++)
		if (!link_by_index(c->underlay[i].ifindex, &dev))
			json_array_append_new(list, json_pack("{s:o, s:s, s:I}", "dev",
							      json_text(dev.name), "xdp",
							      xdp_word(c->underlay[i].xdp), "mtu",
							      (json_int_t)dev.mtu));
	return list;
}

static json_t *name_json(__u32 ifindex)
{
	struct link dev;

	return ifindex && !link_by_index(ifindex, &dev) ? json_text(dev.name) : json_null();
}

static json_t *gre_json(const struct tsw_config *c)
{
	json_t *list = json_array(), *name;
	int family;

	for (family = 0; family < TSW_FAMILIES; family++) {
		name = name_json(c->gre[family]);
		if (!json_is_null(name))
			json_array_append(list, name);
		json_decref(name);
	}
	return list;
}

/* From another network namespace the devices are not visible. */
static json_t *here_json(const struct tsw *t)
{
	const struct tsw_config *c = &t->config;
	const __u32 mtu = underlay_mtu(t);

	if (!tunnel_is_of(c->tunnel, t->instance))
		return json_pack("{s:n, s:n, s:n, s:[], s:[], s:n}", "dev", "underlay_mtu",
				 "tunnel_dev", "devs", "gre_dev", "geneve_dev");
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "dev", name_json(c->underlay[0].ifindex),
			 "underlay_mtu", mtu ? json_integer((json_int_t)mtu) : json_null(),
			 "tunnel_dev", name_json(c->tunnel), "devs", devs_json(c), "gre_dev",
			 gre_json(c), "geneve_dev", name_json(c->geneve));
}

static json_t *nat_ports_json(const struct tsw *t)
{
	const struct tsw_port_range now = nat_ports_now(t);
	const struct tsw_port_range asked = {t->config.nat_asked_low, t->config.nat_asked_high};

	return json_pack("{s:s, s:s}", "nat_ports", ports_text(&now), "nat_ports_asked",
			 asked.first ? ports_text(&asked) : "auto");
}

static int add_closed(const struct tsw *t, json_t *o)
{
	struct tsw_closed_list asked;
	json_t *now = json_array();
	int err = closed_load(t, &asked);

	err = err ?: closed_now(t, now);
	json_object_set_new(o, "closed", now);
	json_object_set_new(o, "closed_asked", closed_words(&asked));
	return err;
}

int show_switch_settings(struct tsw *t, json_t **shown)
{
	const struct tsw_config *c = &t->config;
	json_t *o, *here = here_json(t);
	int err;

	o = json_pack("{s:o, s:o, s:O, s:o, s:i, s:s, s:s, s:I}", "instance",
		      json_text(t->instance), "name", json_text(c->name), "dev",
		      json_object_get(here, "dev"), "local", json_addrs(c->local), "port",
		      ntohs(c->port), "xdp", xdp_word(c->underlay[0].xdp), "attach",
		      c->attach == TSW_ATTACH_TCX ? "tcx" : "clsact", "abi", (json_int_t)c->abi);
	json_object_update_new(o, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "tenants",
					    (json_int_t)t->totals.tenants, "hosts",
					    (json_int_t)t->totals.hosts, "endpoints",
					    (json_int_t)t->totals.endpoints, "max_endpoints",
					    (json_int_t)c->max_endpoints, "max_tenants",
					    (json_int_t)c->max_tenants, "map_bytes",
					    (json_int_t)maps_bytes(&t->maps)));
	json_object_update_new(o, json_pack("{s:s, s:b}", "xdp_asked", xdp_word(c->xdp_asked),
					    "slow_path", !!(c->flags & TSW_CFG_SLOW_PATH)));
	json_object_update_new(o, json_pack("{s:s?, s:b}", "version", version_text(c->version),
					    "outdated", switch_is_outdated(t)));
	json_object_update_new(o, nat_ports_json(t));
	if (*c->zone)
		json_object_set_new(o, "zone", json_text(c->zone));
	json_object_update_new(o, here);
	err = add_closed(t, o);
	if (!err && crypt_is_on(t))
		err = cmd_crypt_show(t, o);
	*shown = o;
	return err;
}

int cmd_switch_show(struct cli *cli, const struct words *w)
{
	json_t *o;
	int err = show_switch_settings(&cli->tsw, &o);

	(void)w;
	if (err)
		json_decref(o);
	else
		out_block(&cli->out, o);
	return err;
}

int check_all(struct cli *cli, json_t *problems, json_t *warnings)
{
	struct tsw *t = &cli->tsw;
	int err = switch_check(t, problems, warnings);

	status_check(t->instance, problems, warnings);
	if (!err)
		upgrade_warn(t, warnings);
	return err;
}

int cmd_switch_check(struct cli *cli, const struct words *w)
{
	json_t *problems = json_array(), *warnings = json_array();
	int err = check_all(cli, problems, warnings);
	const bool bad = json_array_size(problems);
	json_t *all = json_pack("{s:b, s:o, s:o}", "ok", !bad, "problems", problems, "warnings",
				warnings);

	(void)w;
	if (err) {
		json_decref(all);
		return err;
	}
	cli->bad |= bad;
	out_object(&cli->out, all);
	return 0;
}

/* `endpoints off` was given. */
static bool leaves_endpoints(const struct words *w)
{
	return w->given & FIELD(OPTION_ENDPOINTS) && !w->option.endpoints;
}

int cmd_switch_gc(struct cli *cli, const struct words *w)
{
	struct garbage g = {.dry = w->option.dry_run,
			    .no_endpoints = leaves_endpoints(w),
			    .removed = json_array()};
	int err = switch_gc(&cli->tsw, &g);

	if (err) {
		json_decref(g.removed);
		return err;
	}
	out_object(&cli->out, json_pack("{s:b, s:o, s:I}", "dry_run", g.dry, "removed", g.removed,
					"swept", (json_int_t)g.swept));
	return 0;
}

static void note_each(struct cli *cli, const char *word, const json_t *problems)
{
	json_t *one;
	size_t i;

	json_array_foreach(problems, i, one)
		note(&cli->tsw.log, "%s: %s: %s", word,
		     escaped(json_string_value(json_object_get(one, "object"))),
		     json_string_value(json_object_get(one, "detail")));
}

static int repair_all(struct cli *cli, json_t *left)
{
	struct tsw *t = &cli->tsw;
	json_t *warnings = json_array();
	int err = switch_repair(t);

	err = err ?: switch_check(t, left, warnings);
	if (!err && !json_array_size(left))
		note(&t->log, "nothing is wrong with the switch now%s",
		     json_array_size(warnings) ? "; switch check has warnings" : "");
	json_decref(warnings);
	return err;
}

/* Says nothing where nothing is wrong, for a timer. */
static int repair_few(struct cli *cli, json_t *left)
{
	struct tsw *t = &cli->tsw;
	const bool will_write = t->will_write;
	json_t *found = json_array();
	int err;

	if (!t->open) /* a batch has it open for writing already */
		t->will_write = false;
	err = switch_look(t, true, found);

	if (!err && json_array_size(found)) {
		json_array_clear(found);
		err = switch_restore(t, found, left);
	}
	session_restore(t, will_write);
	note_each(cli, "found", found);
	json_decref(found);
	return err;
}

int cmd_switch_repair(struct cli *cli, const struct words *w)
{
	json_t *left = json_array();
	int err = leaves_endpoints(w) ? repair_few(cli, left) : repair_all(cli, left);

	note_each(cli, "left", left);
	cli->bad |= json_array_size(left) > 0;
	json_decref(left);
	return err;
}

int cmd_switch_upgrade(struct cli *cli, const struct words *w)
{
	(void)w;
	return cli->plan ? plan_switch_upgrade(cli) : switch_upgrade(&cli->tsw);
}

/* Of a half-made switch, or one of a newer tsw, only the known fields are listed. */
static int add_switch(void *context, const char *instance)
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
		json_object_update_new(
			item, json_pack("{s:o, s:o, s:I, s:s?}", "name", json_text(c->name),
					"local", json_addrs(c->local), "abi", (json_int_t)c->abi,
					"version", version_text(c->version)));
	json_array_append_new(context, item);
	return 0;
}

int cmd_switch_list(struct cli *cli, const struct words *w)
{
	json_t *list = json_array();
	int err = system_check_capabilities();

	(void)w;
	err = err ?: pins_each(add_switch, list);
	if (err)
		json_decref(list);
	else
		out_list(&cli->out, list);
	return err;
}
