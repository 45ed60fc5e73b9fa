// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/problem.h"
#include "base/text.h"
#include "check/check.h"
#include "check/containers.h"
#include "check/crypt.h"
#include "check/devices.h"
#include "check/maps.h"
#include "door/door.h"
#include "door/nat_ports.h"
#include "door/routed.h"
#include "door/router.h"
#include "kernel/system.h"
#include "object/flood_list.h"
#include "object/gateway_follow.h"
#include "object/install.h"
#include "object/policy_sweep.h"
#include "object/publish.h"
#include "object/snat.h"
#include "object/trial.h"
#include "record/plugin.h"
#include "record/tenant_find.h"
#include "store/closed.h"
#include "store/config.h"
#include "store/maps_held.h"
#include "store/pins.h"
#include "switch/session.h"
#include "switch/settle.h"
#include "switch/switch.h"
#include "wire/underlay.h"

/* Runs before the lock, which would leave a directory behind where there is no switch. */
static int check_here(const struct tsw *t)
{
	int err = system_check_capabilities();

	err = err ?: pins_check_fs();
	return !err && !pins_exist(t->instance) ? config_no_switch(t) : err;
}

/* A switch of an older version lacks newer maps, so its version is checked first. */
static int check_version(struct tsw *t)
{
	int err = config_read(t);

	if (err || !t->config.abi)
		return err == -ENOENT ? 0 : err;
	return config_check_abi(t);
}

static void check_upgrade(const struct tsw *t, json_t *problems)
{
	if (pins_has(t->instance, PINS_NEXT))
		problem(problems, "half_upgraded", t->instance,
			"an upgrade was interrupted; some programs may be old: run switch upgrade");
}

/*
 * Opens the switch under the lock and changes nothing. It stays closed if pins of maps are missing,
 * which *LACK counts.
 */
static int open_locked(struct tsw *t, json_t *problems, unsigned int *lack)
{
	int err = check_here(t);

	if (!err && !t->will_write) /* a batch that writes keeps it open */
		session_leave(t);
	err = err ?: lock_take(t);
	err = err ?: check_version(t);
	err = err ?: held_check(t, problems, lack);
	if (!err)
		check_upgrade(t, problems);
	return err || *lack ? err : session_open(t);
}

/*
 * Reads the totals as they are stored. Nobody else is at work, so `unsettled` was left by a killed
 * command. In a batch that writes it is from this run itself.
 */
static int read_totals(struct tsw *t)
{
	const __u32 zero = 0;

	if (!t->will_write)
		return map_get(&t->maps, MAP_TOTALS, &zero, &t->totals);
	t->totals.unsettled = 0;
	return session_flush(t);
}

static int check_maps(struct tsw *t, const struct snapshot *s, const struct owners *owners,
		      json_t *problems, json_t *warnings)
{
	int err;

	check_objects(t, s, problems);
	check_endpoints(t, s, owners, problems);
	check_strays(s, owners, problems);
	check_hidden(s, warnings);
	check_contested(s, warnings);
	err = flood_lists_check(s, problems);
	err = err ?: check_policies(s, problems);
	err = err ?: check_policy_conns(t, s, warnings);
	err = err ?: check_flows(t, s, problems);
	err = err ?: closed_check(t, problems);
	return err ?: check_counts(t, s, problems, warnings);
}

/* All but the ports. */
static int check_devices(struct tsw *t, const struct snapshot *s, json_t *problems,
			 json_t *warnings)
{
	int err = check_underlays(t, problems);

	if (err)
		return err;
	check_routes(t, s, problems, warnings);
	check_tunnels(t, problems);
	err = check_crypt(t, problems, warnings);
	err = err ?: door_check(t, gateways_fill, problems);
	err = err ?: nat_ports_check(t, problems, warnings);
	err = err ?: snats_check(t, &s->rows[MAP_GATEWAYS], problems, warnings);
	return err ?: routed_verify(t, problems);
}

int switch_check(struct tsw *t, json_t *problems, json_t *warnings)
{
	cleanup_snapshot struct snapshot s = {};
	cleanup_owners struct owners owners = {};
	unsigned int lack;
	int err = open_locked(t, problems, &lack);

	if (err || lack)
		return err;
	err = config_check_netns(t);
	err = err ?: read_totals(t);
	err = err ?: snapshot_read(t, &s);
	err = err ?: owners_make(&s, &owners);
	err = err ?: check_maps(t, &s, &owners, problems, warnings);
	err = err ?: check_devices(t, &s, problems, warnings);
	err = err ?: check_ports(t, &s, problems, warnings);
	return err ?: check_containers(t, &s, &owners, warnings);
}

/* Writes an endpoint's entries again, from its record and its addresses. */
static int mend_endpoint(struct tsw *t, const struct tsw_endpoint_key *key)
{
	struct endpoint ep;
	int err = endpoint_load(t, key, &ep);

	err = err ?: install_pending(t, &ep, 0);
	if (!err) /* for a pending endpoint all of its addresses are searched */
		err = endpoint_load(t, key, &ep);
	err = err ?: install_addrs(t, &ep);
	err = err ?: ports_put(t, &ep);
	return err ?: install_finish(t, &ep);
}

static int mend_endpoints(struct tsw *t)
{
	cleanup_snapshot struct snapshot s = {};
	cleanup_owners struct owners owners = {};
	size_t i;
	int err = snapshot_read(t, &s);

	err = err ?: owners_make(&s, &owners);
	for (i = 0; !err && i < owners.n; i++)
		if (endpoint_is_damaged(t, &s, &owners.all[i]))
			err = mend_endpoint(t, owners.all[i].name);
	return err;
}

/* Opens and settles the switch under the lock, after all pins are in place. */
static int open_mended(struct tsw *t)
{
	int err = system_check_capabilities();

	err = err ?: pins_check_fs();
	err = err ?: lock_take(t);
	err = err ?: check_version(t);
	err = err ?: held_mend(t);
	if (!pins_exist(t->instance))
		lock_remove(t);
	if (!err)
		err = lock_pins(t); /* held_mend() may have made them */
	err = err ?: session_open(t);
	return err ?: session_flush(t);
}

/* Reports what only the user can mend: which devices the underlay has now. */
static int refuse_lost(struct tsw *t)
{
	unsigned int n = underlay_staying(&t->config), i;
	struct link link;

	for (i = 0; i < n; i++) {
		const struct tsw_underlay *u = &t->config.underlay[i];

		if (link_by_index(u->ifindex, &link) || underlay_is_stale(t, u))
			return fail(ENODEV,
				    "all is repaired except the underlay: device %u is gone; name "
				    "its devices with: tsw switch set dev DEV",
				    u->ifindex);
	}
	return 0;
}

/*
 * Repairs what the kernel has for the switch: devices, programs, settings, routes, nftables. ALL:
 * replaces nftables' table even if nothing seems to be wrong with it.
 */
static int mend_kernel(struct tsw *t, bool all)
{
	int err = switch_mend(t, false);

	if (!err && t->config.gateway)
		err = all ? door_rebuild(t, gateways_fill) : door_refill(t, gateways_fill);
	if (!err && t->config.gateway)
		err = publish_let_in(t, 0);
	return err ?: routed_mend(t);
}

int switch_repair(struct tsw *t)
{
	int err = open_mended(t);

	err = err ?: settle_restore(t);
	err = err ?: mend_endpoints(t);
	err = err ?: mend_kernel(t, true);
	return err ?: refuse_lost(t);
}

/* ---- what others broke -------------------------------------------------------------- */

/* Only the user can mend these, and `switch check` reports them. */
static bool is_for_user(const json_t *problem)
{
	static const char *const words[] = {"underlay_device", "underlay_address", "port_device"};
	const char *what = json_string_value(json_object_get(problem, "what"));
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(what, words[i]))
			return true;
	return false;
}

static void drop_for_user(json_t *problems)
{
	size_t i = json_array_size(problems);

	while (i--)
		if (is_for_user(json_array_get(problems, i)))
			json_array_remove(problems, i);
}

/* Reads only the maps that check_devices() needs, which do not grow with other hosts' endpoints. */
static int read_few(const struct tsw *t, struct snapshot *s)
{
	static const enum map maps[] = {MAP_HOSTS, MAP_HOST_MTUS, MAP_PORTS, MAP_GATEWAYS};
	size_t i;
	int err = 0;

	for (i = 0; !err && i < sizeof(maps) / sizeof(maps[0]); i++)
		err = snapshot_index(&t->maps, maps[i], s);
	return err;
}

/* All pins may be gone, while devices show that the switch was not taken down. */
static int look_at_pins(struct tsw *t, json_t *problems, unsigned int *lack)
{
	char dir[PINS_PATH];

	*lack = 1;
	if (pins_exist(t->instance))
		return held_check(t, problems, lack);
	pins_dir(dir, t->instance);
	if (!switch_has_remains(t))
		return config_no_switch(t);
	problem(problems, "pin", dir, "all pins of the switch are gone");
	return 0;
}

int switch_look(struct tsw *t, bool heard, json_t *problems)
{
	cleanup_snapshot struct snapshot s = {};
	json_t *warnings = json_array();
	unsigned int lack;
	int err = look_at_pins(t, problems, &lack);

	if (!err && !lack) {
		err = session_open(t);
		err = err ?: config_check_netns(t);
		err = err ?: read_few(t, &s);
		err = err ?: check_devices(t, &s, problems, warnings);
		err = err ?: check_port_programs(t, &s, heard, problems);
	}
	drop_for_user(problems);
	json_decref(warnings);
	return err;
}

/* Looks while no other command is at work. */
static int look_locked(struct tsw *t, json_t *problems)
{
	int err;

	session_leave(t);
	t->will_write = false;
	err = lock_take(t);
	return err ?: switch_look(t, true, problems);
}

static int restore(struct tsw *t, json_t *found, json_t *left)
{
	int err = look_locked(t, found);

	if (err || !json_array_size(found))
		return err;
	session_leave(t);
	t->will_write = true;
	err = open_mended(t);
	err = err ?: mend_kernel(t, false);
	return err ?: look_locked(t, left);
}

int switch_restore(struct tsw *t, json_t *found, json_t *left)
{
	const bool will_write = t->will_write;
	int err = restore(t, found, left);

	session_restore(t, will_write);
	return err;
}

/* Collects the problems that gc removes. */
static int find_garbage(struct tsw *t, json_t *garbage)
{
	cleanup_snapshot struct snapshot s = {};
	cleanup_owners struct owners owners = {};
	json_t *problems = json_array(), *one;
	size_t i;
	int err = snapshot_read(t, &s);

	err = err ?: owners_make(&s, &owners);
	if (!err) {
		check_endpoints(t, &s, &owners, problems);
		check_strays(&s, &owners, problems);
		err = flood_lists_check(&s, problems);
	}
	json_array_foreach(problems, i, one) {
		const char *what = json_string_value(json_object_get(one, "what"));

		if (!strcmp(what, "orphan_endpoint") || !strcmp(what, "stray_entry"))
			json_array_append(garbage, one);
	}
	json_decref(problems);
	return err;
}

/*
 * Withdraws the ports of a container that is gone, as its runtime would. Ports of other endpoints
 * stay, as with `endpoint del`.
 */
static int take_ports(struct tsw *t, const struct endpoint *ep, const struct garbage *g)
{
	const struct tsw_name tenant = tenant_name_of(t, ep->key.tenant);
	struct publish *all = NULL;
	size_t n = 0, i;
	int err = publish_list(t, ep->key.tenant, &all, &n);

	for (i = 0; !err && i < n; i++) {
		char object[2 * TSW_NAME_LEN];

		if (!endpoint_has_ip(ep, &all[i].to.addr))
			continue;
		snprintf(object, sizeof(object), "%s/%s/%u", tenant.s, proto_text(all[i].key.proto),
			 all[i].key.port);
		problem(g->removed, "orphan_publish", object,
			"it is published to endpoint %s, whose container is gone",
			quoted(ep->key.name.s));
		err = g->dry ? 0 : publish_del(t, &tenant, &all[i]);
	}
	free(all);
	return err;
}

static int take_orphan(struct tsw *t, const struct plugins *p, const struct endpoint *ep,
		       const struct garbage *g)
{
	const struct tsw_name tenant = tenant_name_of(t, ep->key.tenant);
	const char *name = ep->key.name.s;
	char dev[IFNAMSIZ];
	const bool plugins = plugin_of_dead(p, t->instance, tenant.s, name, dev);
	int err = plugins ? take_ports(t, ep, g) : 0;

	if (err || g->dry)
		return err;
	err = endpoint_del(t, ep);
	if (!err && plugins)
		plugin_forget(p, tenant.s, name, dev);
	return err;
}

/* Also deletes endpoints that a killed command left without a place; repeated, it starts anew. */
static int take_orphans(struct tsw *t, const struct garbage *g)
{
	cleanup_rows struct rows rows = {};
	struct plugins plugins = {};
	struct endpoint ep;
	size_t i;
	int err = map_rows(&t->maps, MAP_ENDPOINTS, &rows);

	err = err ?: plugins_read(&plugins, "", t->instance);
	for (i = 0; !err && i < rows.n; i++) {
		err = endpoint_load(t, row_key(&rows, i), &ep);
		if (!err && orphan_text(t, ep.placed ? &ep.at : NULL))
			err = take_orphan(t, &plugins, &ep, g);
	}
	plugins_free(&plugins);
	return err;
}

static int collect(struct tsw *t, const struct garbage *g)
{
	int err = find_garbage(t, g->removed);

	if (err || !json_array_size(g->removed))
		return err;
	err = take_orphans(t, g);
	if (err || g->dry)
		return err;
	err = session_flush(t);
	return err ?: settle(t);
}

static int gc(struct tsw *t, struct garbage *g)
{
	int err = check_here(t);

	err = err ?: lock_take(t);
	if (g->dry && !t->open) /* a batch has it open for writing already */
		t->will_write = false;
	err = err ?: session_open(t);
	err = err ?: config_check_netns(t);
	err = err ?: session_flush(t);
	if (!err && !g->no_endpoints)
		err = collect(t, g);
	if (!err && !g->no_endpoints)
		err = trial_sweep(t, g->dry, g->removed);
	if (!err && !g->no_endpoints)
		err = routers_sweep(t, g->dry, g->removed);
	return err ?: policy_sweep(t, g->dry, &g->swept);
}

int switch_gc(struct tsw *t, struct garbage *g)
{
	const bool will_write = t->will_write;
	int err = gc(t, g);

	session_restore(t, will_write);
	return err;
}
