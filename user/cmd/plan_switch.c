// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "base/key.h"
#include "base/text.h"
#include "cmd/cluster.h"
#include "cmd/dry_run.h"
#include "cmd/plan.h"
#include "cmd/plan_switch.h"
#include "door/router_ns.h"
#include "kernel/tunnel.h"
#include "kernel/wireguard.h"
#include "state/json.h"
#include "state/load.h"
#include "store/closed.h"
#include "store/lock.h"
#include "store/pins.h"
#include "switch/rekey.h"
#include "switch/settings.h"
#include "switch/switch.h"
#include "upgrade/upgrade.h"
#include "wire/crypt.h"
#include "wire/underlay.h"

/* A switch as it is, or as it would be. */
struct side {
	const struct tsw *t;
	struct tsw_config config; /* abi 0: no switch */
	struct tsw_closed_list closed;
	struct crypt crypt; /* its keys; of a switch that is up, also its devices and hosts */
	bool is;	    /* how it is now */
	json_t *parts;
};

/* ---- parts ------------------------------------------------------------------------ */

static void add_directory(const struct side *s, const char *path, bool has)
{
	if (has)
		plan_part(s->parts, "directory", path, NULL);
}

static void add_directories(const struct side *s)
{
	const bool is = s->is;
	char path[PINS_PATH];

	if (!is && !pins_have_fs())
		plan_part(s->parts, "filesystem", "/sys/fs/bpf", NULL);
	lock_path(path, s->t);
	add_directory(s, path, !is || !access(path, F_OK));
	pins_dir(path, s->t->instance);
	add_directory(s, path, !is || pins_exist(s->t->instance));
}

static int add_switch(const struct side *s)
{
	cleanup_devices struct devices devices = {};
	int err = devices_read(&devices);
	const struct tsw_config *c = &s->config;
	struct tsw_switch_spec spec;
	json_t *fields;

	if (err)
		return err;
	spec = state_switch_spec(c, &s->crypt.map, &devices);
	spec.closed = s->closed;
	fields = state_switch_json(&spec);
	json_object_set_new(fields, "ip", json_addrs(c->local));
	if (*c->zone)
		json_object_set_new(fields, "zone", json_text(c->zone));
	plan_part(s->parts, "switch", c->name, fields);
	return 0;
}

/* The programs on devices that are not tsw's own. */
static void add_programs(const struct side *s)
{
	const unsigned int n = underlay_staying(&s->config);
	const struct tsw_underlay *u = s->config.underlay;
	struct link dev;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!link_by_index(u[i].ifindex, &dev))
			plan_part(s->parts, "programs", dev.name,
				  json_pack("{s:s}", "xdp", xdp_word(u[i].xdp)));
}

static bool wants_wireguard(const struct side *s, unsigned int own, unsigned int other)
{
	return s->config.flags & TSW_CFG_ENCRYPT && crypt_wants_device(&s->crypt, own, other);
}

/* Is it a device for a pair of keys that the switch would not have? */
static bool is_unwanted(const struct side *s, const struct link *link)
{
	unsigned int own, other;

	if (s->is || !wg_instance(link))
		return false;
	crypt_each(own, other)
		if (s->crypt.map.ifindex[own][other] == link->ifindex &&
		    wants_wireguard(s, own, other))
			return false;
	return true;
}

static int add_device(const struct link *link, void *data)
{
	const struct side *s = data;
	const char *instance = link_instance(link);

	if (instance && !strcmp(instance, s->t->instance) && !is_unwanted(s, link))
		plan_part(s->parts, "device", link->name, NULL);
	return 0;
}

static void add_missing_tunnels(const struct side *s)
{
	const struct tsw_addr *local = s->config.local;
	const bool wanted[TUNNELS] = {
		[TUNNEL_VXLAN] = true,
		[TUNNEL_GRE] = !addr_is_none(&local[TSW_IPV4]),
		[TUNNEL_GRE6] = !addr_is_none(&local[TSW_IPV6]),
		[TUNNEL_GENEVE] = true,
	};
	char name[IFNAMSIZ];
	enum tunnel tunnel;

	for (tunnel = 0; tunnel < TUNNELS; tunnel++)
		if (wanted[tunnel] && tunnel_is_to_make(tunnel, s->t->instance, name))
			plan_part(s->parts, "device", name, NULL);
}

static void add_missing_wireguard(const struct side *s)
{
	unsigned int own, other, n = 0;
	char name[IFNAMSIZ];

	crypt_each(own, other) {
		if (!wants_wireguard(s, own, other) ||
		    wg_is_of(s->crypt.map.ifindex[own][other], s->t->instance))
			continue;
		wg_next_name(n++, name);
		plan_part(s->parts, "device", name, NULL);
	}
}

/* Lists the public keys. A key that is not made yet is zero except for its parity. */
static void add_key_file(const struct side *s)
{
	const struct own_keys *keys = &s->crypt.keys;
	json_t *list = json_array();
	char path[KEY_FILE_PATH];
	size_t i;

	for (i = 0; i < keys->n; i++)
		json_array_append_new(list, json_string(key_is_none(keys->at[i].private)
								? "auto"
								: key_text(keys->at[i].public)));
	key_file_path(path, s->t->instance);
	if (keys->n)
		plan_part(s->parts, "file", path,
			  json_pack("{s:O, s:O?}", "keys", list, "used",
				    json_array_get(list, keys->used)));
	json_decref(list);
}

static int add_parts(struct side *s)
{
	int err = s->config.abi ? add_switch(s) : 0;

	add_directories(s);
	add_programs(s);
	err = err ?: link_each(add_device, s);
	if (!s->is) {
		add_missing_tunnels(s);
		add_missing_wireguard(s);
	}
	if (s->config.router)
		plan_part(s->parts, "namespace", router_ns_name(s->t->instance), NULL);
	add_key_file(s);
	return err;
}

/* ---- from one to the other -------------------------------------------------------- */

static int keys_of(const struct tsw *t, struct own_keys *keys)
{
	int err = key_file_read(t->instance, keys);

	return err == -ENOENT ? 0 : err;
}

/* What exists. Of the key file only whether: `switch down` also removes an invalid one. */
static struct side remains(const struct tsw *t)
{
	return (struct side){.t = t,
			     .config = t->config,
			     .crypt.keys.n = key_file_exists(t->instance),
			     .is = true};
}

/* HAVE becomes what is there. The maps are open if a switch is up. */
static int side_now(const struct tsw *t, struct side *have)
{
	int err;

	*have = remains(t);
	if (t->maps.fd[MAP_CRYPT] < 0) {
		if (key_file_read(t->instance, &have->crypt.keys))
			*have = remains(t);
		return 0;
	}
	err = crypt_read(t, &have->crypt);
	return err ?: closed_load(t, &have->closed);
}

static int compare(struct cli *cli, struct side *have, struct side *want)
{
	json_t *none = json_array();
	int err;

	have->parts = json_array();
	err = add_parts(have);
	if (want) {
		want->parts = json_array();
		err = err ?: add_parts(want);
	}
	if (!err)
		plan_parts(cli->plan, have->parts, want ? want->parts : none);
	json_decref(have->parts);
	json_decref(want ? want->parts : NULL);
	json_decref(none);
	return err;
}

static void side_free(struct side *s)
{
	crypt_free(&s->crypt);
}

#define cleanup_side __attribute__((cleanup(side_free)))

/* The first key has parity 0, see crypt_mend(). */
static void have_key(struct side *s)
{
	if (s->config.flags & TSW_CFG_ENCRYPT && !s->crypt.keys.n)
		s->crypt.keys.n = 1;
}

/* ---- the commands ----------------------------------------------------------------- */

/* A running switch gets back what it has lost. */
static int mended(const struct tsw *t, struct side *want)
{
	int err = side_now(t, want);

	want->is = false;
	return err ?: switch_new_locals(t, &want->config);
}

static int made(const struct tsw *t, const struct settings *s, struct side *want)
{
	const bool off = s->encrypt && !(s->config.flags & TSW_CFG_ENCRYPT);

	*want = (struct side){
		.t = t, .config = s->config, .closed = s->close, .crypt.map = s->crypt};
	want->config.abi = TSW_ABI_VERSION;
	return off ? 0 : keys_of(t, &want->crypt.keys);
}

int plan_switch_up(struct cli *cli, const struct tsw_switch_spec *w)
{
	cleanup_side struct side have = {}, want = {};
	struct tsw *t = &cli->tsw;
	struct settings s;
	int err = switch_up_look(t, w, &s);

	err = err ?: side_now(t, &have);
	err = err ?: t->config.abi ? mended(t, &want) : made(t, &s, &want);
	have_key(&want);
	return err ?: compare(cli, &have, &want);
}

int plan_switch_set(struct cli *cli, const struct tsw_switch_spec *w)
{
	cleanup_side struct side have = {}, want = {};
	struct tsw *t = &cli->tsw;
	struct tsw_config config;
	struct tsw_crypt crypt;
	int err = switch_set_look(t, w, &config, &crypt);

	err = err ?: side_now(t, &have);
	err = err ?: side_now(t, &want);
	if (err)
		return err;
	want.is = false;
	want.config = config;
	want.crypt.map.flags = crypt.flags;
	want.crypt.map.port = crypt.port;
	if (w->given & FIELD(SWITCH_CLOSED))
		want.closed = w->closed;
	if (!(config.flags & TSW_CFG_ENCRYPT) && crypt_is_on(t))
		own_keys_wipe(&want.crypt.keys);
	have_key(&want);
	err = compare(cli, &have, &want);
	if (!err && w->given & FIELD(SWITCH_ENCRYPT))
		cluster_tell_own(cli, &want.crypt.keys);
	return err;
}

int plan_switch_down(struct cli *cli)
{
	cleanup_side struct side have = {};
	struct tsw *t = &cli->tsw;
	int err = switch_down_look(t);

	if (!err && t->config.abi && dry_objects_gone(cli, cli->plan))
		note(&t->log, "its objects are not listed: %s", failure()->text);
	have = remains(t);
	return err ?: compare(cli, &have, NULL);
}

/* The programs, which may be another build of the same version. */
static json_t *renewed(const struct tsw *t)
{
	json_t *item = json_pack("{s:s, s:s, s:o, s:s}", "change", "set", "object", "programs",
				 "name", json_text(t->instance), "version", TSW_VERSION);
	const char *old = version_text(t->config.version);

	if (!old || strcmp(old, TSW_VERSION))
		json_object_set_new(item, "was", json_pack("{s:s?}", "version", old));
	return item;
}

int plan_switch_upgrade(struct cli *cli)
{
	struct tsw *t = &cli->tsw;
	struct side want = {.t = t};
	bool needed, new[MAP_COUNT];
	int err = switch_upgrade_look(t, &needed, new), map;

	if (err || !needed)
		return err;
	json_array_append_new(cli->plan, renewed(t));
	for (map = 0; map < MAP_COUNT; map++)
		if (new[map])
			plan_add(cli->plan,
				 pin_exists(t->instance, "maps", map_name(map)) ? "set" : "add",
				 "map", map_name(map));
	want.config = t->config;
	want.parts = json_array();
	add_missing_tunnels(&want);
	plan_parts(cli->plan, NULL, want.parts);
	json_decref(want.parts);
	return 0;
}

int plan_switch_rekey(struct cli *cli, bool force)
{
	cleanup_side struct side have = {}, want = {};
	struct tsw *t = &cli->tsw;
	int err = switch_rekey_look(t, force, &want.crypt);

	want.t = t;
	want.config = t->config;
	err = err ?: side_now(t, &have);
	want.closed = have.closed;
	err = err ?: compare(cli, &have, &want);
	if (!err)
		cluster_tell_own(cli, &want.crypt.keys);
	return err;
}
