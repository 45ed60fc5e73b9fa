// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "base/problem.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/endpoint.h"
#include "cluster/host_index.h"
#include "cluster/orphans.h"
#include "cluster/publish.h"
#include "kernel/link.h"
#include "record/endpoint_find.h"
#include "record/plugin.h"
#include "store/config.h"

/* 1: the device exists; 0: it does not. */
static int device_exists(const char *dev)
{
	struct link unused;
	int err = link_by_name(dev, &unused);

	return err ? err == -ENODEV ? 0 : err : 1;
}

/* ---- finding ---------------------------------------------------------------------- */

enum { IN_INDEX, IN_RECORDS, IN_TENANTS, KEYS }; /* what is read of a candidate at one moment */
enum { AT_ONCE = ETCD_OPS / KEYS };

struct candidates {
	struct plugins *plugins;
	struct candidate {
		char id[16];
		struct tsw_name name;
	} * all;
	size_t n;
};

/* The device that an index entry names, in DEV if a plugin made it. */
static bool is_plugins(const char *value, char dev[IFNAMSIZ])
{
	json_t *device = host_index_device(value);
	const char *text = json_string_value(device);
	const bool is = text && plugin_device(text);

	if (is)
		snprintf(dev, IFNAMSIZ, "%s", text);
	json_decref(device);
	return is;
}

static int take_index(void *context, const struct etcd_entry *entry)
{
	struct candidates *c = context;
	struct candidate one = {};
	const char *name = record_name(entry->key), *id = name - 1;
	char dev[IFNAMSIZ];
	int exists;
	size_t i;

	if (!is_plugins(entry->value, dev))
		return 0;
	for (i = 0; i < c->plugins->n; i++)
		c->plugins->all[i].recorded |= !strcmp(c->plugins->all[i].dev, dev);
	exists = device_exists(dev);
	if (exists)
		return exists < 0 ? exists : 0;
	while (id[-1] != '/')
		id--;
	if ((size_t)snprintf(one.id, sizeof(one.id), "%.*s", (int)(name - 1 - id), id) >=
		    sizeof(one.id) ||
	    (size_t)snprintf(one.name.s, sizeof(one.name.s), "%s", name) >= sizeof(one.name.s))
		return 0;
	return list_append(&c->all, &c->n, &one, sizeof(one));
}

/* The switch goes by the index of a device, so it still has one that was renamed. */
static int is_at_device(const struct tsw *t, const struct orphan *o)
{
	struct endpoint ep;
	__u32 unused;
	int err = endpoint_find(t, &o->tenant, &o->name, &ep);

	if (err)
		return err == -ENOENT ? 0 : err;
	return ep.placed && ep.at.place == TSW_PLACE_PORT &&
	       !map_get(&t->maps, MAP_DEVICES, &ep.at.id, &unused);
}

/* Makes O of what was read. False: it is no orphan. */
static bool read_orphan(const struct records *r, const struct plugins *p, const struct seen *at,
			struct orphan *o)
{
	struct tsw_endpoint_spec spec = {};
	char owner[CHANGE_TEXT];

	*o = (struct orphan){};
	if (!at[IN_INDEX].value || !at[IN_RECORDS].value || !at[IN_TENANTS].value ||
	    cluster_endpoint_read(at[IN_RECORDS].key, at[IN_RECORDS].value, &spec) ||
	    strcmp(spec.host.s, r->m.host.s) || spec.to_host.s[0])
		return false;
	claim_read(at[IN_TENANTS].value, owner, NULL);
	if (strlen(owner) >= sizeof(o->tenant.s) || !is_plugins(at[IN_INDEX].value, o->dev))
		return false;
	memcpy(o->tenant.s, owner, strlen(owner));
	o->name = spec.name;
	o->ip = spec.ip;
	o->modified = at[IN_RECORDS].modified;
	o->plugin = plugin_of(p, o->tenant.s, o->name.s, o->dev);
	return o->plugin;
}

/* Looks for the device only now, after the record was read: see orphans.h. */
static int add_orphan(const struct tsw *t, const struct orphan *o, struct orphans *found)
{
	int err = device_exists(o->dev);

	err = err ?: is_at_device(t, o);
	if (err)
		return err < 0 ? err : 0;
	return list_append(&found->all, &found->n, o, sizeof(*o));
}

static int find_some(const struct records *r, const struct tsw *t, const struct candidates *c,
		     size_t from, struct orphans *found)
{
	const size_t end = from + AT_ONCE < c->n ? from + AT_ONCE : c->n;
	cleanup_look struct look look = {};
	struct orphan o;
	size_t i;
	int err;

	for (i = from; i < end; i++) {
		look_at(&look, r, "at/%s/%s/%s", r->m.host.s, c->all[i].id, c->all[i].name.s);
		look_at(&look, r, "e/%s/%s", c->all[i].id, c->all[i].name.s);
		look_at(&look, r, "vni/%s", c->all[i].id);
	}
	err = look_read(r, &look);
	for (i = 0; !err && i < end - from; i++)
		if (read_orphan(r, c->plugins, &look.at[i * KEYS], &o)) {
			snprintf(o.id, sizeof(o.id), "%s", c->all[from + i].id);
			err = add_orphan(t, &o, found);
		}
	return err;
}

int orphans_find(const struct records *r, const struct tsw *t, struct orphans *found)
{
	struct candidates c = {&found->plugins};
	size_t i;
	int err = config_check_netns(t);

	*found = (struct orphans){};
	err = err ?: plugins_read(&found->plugins, "", t->instance);
	err = err ?: records_read(r, NULL, take_index, &c, "at/%s/", r->m.host.s);
	for (i = 0; !err && i < c.n; i += AT_ONCE)
		err = find_some(r, t, &c, i, found);
	free(c.all);
	return err;
}

void orphans_free(struct orphans *o)
{
	free(o->all);
	plugins_free(&o->plugins);
	*o = (struct orphans){};
}

/* ---- taking ----------------------------------------------------------------------- */

int orphan_take(struct records *r, const struct orphans *all, const struct orphan *o,
		bool *ports_stay)
{
	char key[MEMBER_KEY];
	int err = device_exists(o->dev);

	*ports_stay = false;
	if (err)
		return err < 0 ? err : -ECANCELED;
	record_key(r, key, "e/%s/%s", o->id, o->name.s);
	err = cluster_publish_withdraw(r, &o->tenant, &o->ip, key, o->modified);
	if (err == -EACCES) {
		*ports_stay = true;
		err = 0;
	}
	err = err ?: cluster_endpoint_del(r, &o->tenant, &o->name, o->modified, NULL);
	if (err && err != -ENOENT)
		return err;
	/* An ADD may have written the file anew meanwhile. It makes the device first. */
	if (!device_exists(o->dev))
		plugin_forget(&all->plugins, o->tenant.s, o->name.s, o->dev);
	return 0;
}

void orphans_sweep(const struct tsw *t, const struct orphans *found)
{
	const struct plugin_given *g = found->plugins.all, *end = g + found->plugins.n;

	for (; g < end; g++)
		if (!g->recorded && !strcmp(g->instance, t->instance) && !device_exists(g->dev))
			unlink(g->file);
}

const char *orphan_name(const struct orphan *o)
{
	static _Thread_local char name[2 * sizeof(struct tsw_name)];

	snprintf(name, sizeof(name), "%s/%s", o->tenant.s, o->name.s);
	return name;
}

void orphan_tell(json_t *problems, const struct orphan *o)
{
	problem(problems, "orphan_endpoint", orphan_name(o),
		"its device %s, which %s made, is gone, and the record remains", quoted(o->dev),
		o->plugin);
}
