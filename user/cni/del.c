// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cni/cni.h"
#include "cni/ipam.h"
#include "plug/device.h"
#include "plug/json.h"
#include "plug/kept.h"
#include "plug/world.h"

/* The first failure of several steps, which are all tried. */
struct first {
	int err;
	struct failure why;
};

static void done(struct first *first, int err)
{
	if (!err || first->err)
		return;
	first->err = err;
	first->why = *failure();
}

static int result(const struct first *first)
{
	return first->err ? fail_again(&first->why) : 0;
}

/* ---- DEL -------------------------------------------------------------------------- */

int cni_del_endpoint(struct cni *c, struct world *w)
{
	struct given given = cni_given(&c->names);

	return given_del(&given, w, &c->tenant);
}

int cni_del(struct cni *c)
{
	struct first first = {};
	struct world w;
	int err;

	/* A foreign device with that name means that there is no endpoint of ours either. */
	if (device_is_foreign(c->names.dev, c->names.own_alias))
		return c->ipam ? ipam_call(c, "DEL", NULL) : 0;
	err = world_open(&w, c->instance, WORLD_CHANGE_MS);
	done(&first, err ?: cni_del_endpoint(c, &w));
	world_close(&w);
	/* Also if the store does not answer, since the container must lose its interface. */
	done(&first, device_remove(c->names.dev, c->names.own_alias));
	if (c->ipam)
		done(&first, ipam_call(c, "DEL", NULL));
	return result(&first);
}

/* ---- GC --------------------------------------------------------------------------- */

struct valid {
	struct cni_names *at;
	size_t n;
};

/*
 * The first release of the specification's library used the second key. If no attachment is valid,
 * the library writes null, or nothing for cnitool, whose `gc` removes all.
 */
static int read_valid(struct cni *c, struct valid *valid)
{
	const char *key = "cni.dev/valid-attachments", *container, *ifname;
	const json_t *list, *item;
	size_t i;
	int err;

	if (!plug_find(c->config, key))
		key = "cni.dev/attachments";
	err = cni_list(c, c->config, key, &list);
	if (err)
		return err;
	valid->at = calloc(json_array_size(list) + 1, sizeof(*valid->at));
	if (!valid->at)
		return fail_memory();
	json_array_foreach(list, i, item) {
		err = err ?: cni_text(c, item, "containerID", &container);
		err = err ?: cni_text(c, item, "ifname", &ifname);
		if (!err && (!container || !ifname))
			err = cni_code(c, CNI_BAD_CONFIG,
				       misuse("cni.dev/valid-attachments[%zu]: containerID or "
					      "ifname is missing",
					      i));
		if (err)
			return err;
		cni_name(c->instance, c->network, container, ifname, &valid->at[valid->n++]);
	}
	return 0;
}

static bool is_valid_endpoint(const struct valid *valid, const char *name)
{
	size_t i;

	for (i = 0; i < valid->n; i++)
		if (!strcmp(valid->at[i].endpoint.s, name))
			return true;
	return false;
}

struct collecting {
	struct cni *c;
	struct world *w;
	const struct valid *valid;
	struct first *first;
};

static int collect_given(void *context, const char *name)
{
	const struct collecting *all = context;
	struct given given = cni_given(&all->c->names);

	if (is_valid_endpoint(all->valid, name))
		return 0;
	snprintf(given.own.s, sizeof(given.own.s), "%s", name);
	done(all->first, given_del(&given, all->w, &all->c->tenant));
	return 0;
}

static int collect_endpoints(struct cni *c, const struct valid *valid, struct first *first)
{
	struct name_list list = {};
	struct world w;
	size_t i;
	int err = world_open(&w, c->instance, WORLD_CHANGE_MS);

	if (!err)
		done(first,
		     kept_each(cni_given(&c->names).directory, c->names.network, collect_given,
			       &(struct collecting){
				       .c = c, .w = &w, .valid = valid, .first = first}));
	done(first, err ?: world_names(&w, c->names.network, &list));
	for (i = 0; i < list.n; i++)
		if (!is_valid_endpoint(valid, list.at[i].s))
			done(first, world_del(&w, &c->tenant, &list.at[i], NULL));
	free(list.at);
	world_close(&w);
	return 0;
}

static bool is_valid_device(const void *context, const char *dev)
{
	const struct valid *valid = context;
	size_t i;

	for (i = 0; i < valid->n; i++)
		if (!strcmp(valid->at[i].dev, dev))
			return true;
	return false;
}

int cni_gc(struct cni *c)
{
	struct first first = {};
	struct valid valid = {};
	int err = read_valid(c, &valid);

	if (!err) {
		collect_endpoints(c, &valid, &first);
		done(&first,
		     devices_remove(c->names.dev_network, c->names.alias, is_valid_device, &valid));
		if (c->ipam)
			done(&first, ipam_call(c, "GC", NULL));
		err = result(&first);
	}
	free(valid.at);
	return err;
}
