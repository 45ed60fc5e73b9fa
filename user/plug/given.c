// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "kernel/link.h"
#include "plug/given.h"
#include "plug/json.h"
#include "plug/kept.h"

int given_check(const struct tsw_name *name, const char *network)
{
	return strncmp(name->s, network, strlen(network))
		       ? 0
		       : misuse("%s begins like the names that this network makes",
				quoted(name->s));
}

const struct tsw_name *given_name(const struct given *g)
{
	return *g->name.s ? &g->name : &g->own;
}

static int read_name(const json_t *all, const char *key, struct tsw_name *name)
{
	const char *text;
	int err = plug_text(all, key, &text);

	return err ?: parse_known_name(text ?: "", name);
}

static int read_all(const json_t *all, struct given *g)
{
	json_int_t ifindex;
	const char *dev;
	int err = read_name(all, "tenant", &g->tenant);

	err = err ?: plug_number(all, "ifindex", &ifindex);
	err = err ?: plug_text(all, "dev", &dev);
	err = err ?: read_name(all, "name", &g->name);
	if (err)
		return err;
	g->ifindex = (__u32)ifindex;
	snprintf(g->dev, sizeof(g->dev), "%s", dev ?: "");
	return 0;
}

/* Finds the endpoint by its device. */
static int find(struct given *g, struct world *w, const struct tsw_name *tenant)
{
	struct tsw_endpoint_spec got;
	struct name_list list;
	size_t i;
	int err = world_names(w, "", &list);

	for (i = 0; !err && i < list.n && !*g->name.s; i++)
		if (!world_get(w, tenant, &list.at[i], &got) && !strcmp(got.dev, g->dev)) {
			g->tenant = got.tenant;
			g->name = got.name;
		}
	free(list.at);
	return err;
}

int given_load(struct given *g, struct world *w, const struct tsw_name *tenant)
{
	struct failure damaged;
	json_t *all = NULL;
	int err = kept_read(g->directory, g->own.s, &all);

	g->name = (struct tsw_name){};
	err = err ?: read_all(all, g);
	json_decref(all);
	if (err != -EINVAL)
		return err == -ENOENT ? 0 : err;
	damaged = *failure();
	g->name = (struct tsw_name){};
	err = find(g, w, tenant);
	if (err || *g->name.s)
		return err;
	fail_again(&damaged);
	fail_more("; %s/%s is damaged and no endpoint has the device %s: remove the file when tsw "
		  "switch check shows no orphan_endpoint",
		  g->directory, g->own.s, quoted(g->dev));
	return -EINVAL;
}

/* In a cluster the file must survive a crash of the machine, as the endpoint's record does. */
static int keep(const struct given *g, const struct world *w)
{
	return kept_write(g->directory, g->own.s,
			  json_pack("{s:s, s:s, s:s, s:s, s:I}", "instance", w->t.instance,
				    "tenant", g->tenant.s, "name", g->name.s, "dev", g->dev,
				    "ifindex", (json_int_t)g->ifindex),
			  w->r != NULL);
}

static int take(const struct given *g, struct world *w)
{
	const struct world_device at = {g->dev, g->ifindex};
	int err = *g->name.s ? world_del(w, &g->tenant, &g->name, &at) : 0;

	return err ?: kept_remove(g->directory, g->own.s);
}

/*
 * The container's device was made just now, so a record of that name is what was left when it ran
 * before: the machine rebooted, or nobody said that it ended.
 */
static int add_own(const struct given *g, struct world *w, const struct tsw_endpoint_spec *spec,
		   __u64 fields, struct tsw_endpoint_spec *got)
{
	int err = world_add(w, spec, fields, got);

	if (err != -EEXIST)
		return err;
	err = world_del(w, &spec->tenant, &g->own, NULL);
	return err ?: world_add(w, spec, fields, got);
}

/* ---- files that nobody will ask for again ----------------------------------------- */

struct sweeping {
	const struct given *of;
	struct world *w;
	time_t boot;
};

static bool is_dead(const struct given *g, struct world *w)
{
	struct tsw_endpoint_spec got;
	struct link link;
	int err;

	if (!link_by_name(g->dev, &link))
		return false;
	err = world_get(w, &g->tenant, &g->name, &got);
	return err ? err == -ENOENT : strcmp(got.dev, g->dev) != 0;
}

static int sweep_one(void *context, const char *name)
{
	const struct sweeping *s = context;
	struct given other = *s->of;
	char path[PATH_MAX];
	struct stat file;
	json_t *all = NULL;

	snprintf(path, sizeof(path), "%s/%s", other.directory, name);
	if (stat(path, &file) || file.st_mtime >= s->boot)
		return 0;
	if (!kept_read(other.directory, name, &all) && !read_all(all, &other) &&
	    is_dead(&other, s->w))
		kept_remove(other.directory, name);
	json_decref(all);
	return 0;
}

/*
 * A runtime that lost its state in a power cut never ends its containers. So files of an earlier
 * boot are removed if their device and endpoint are gone. In a cluster the agent does so.
 */
static void sweep(const struct given *g, struct world *w)
{
	struct sweeping s = {.of = g, .w = w};
	struct tsw_name network = g->own;
	char *end = strchr(network.s, '-');

	end = end ? strchr(end + 1, '-') : NULL;
	if (w->r || !end)
		return;
	end[1] = '\0';
	s.boot = time(NULL) - (time_t)(clock_ns(CLOCK_BOOTTIME) / SECOND_NS);
	kept_each(g->directory, network.s, sweep_one, &s);
}

int given_add(struct given *g, struct world *w, struct tsw_endpoint_spec *spec, __u64 fields,
	      struct tsw_endpoint_spec *got)
{
	struct given before = *g;
	struct failure why;
	struct link link;
	int err = given_load(&before, w, &spec->tenant);

	err = err ?: take(&before, w);
	spec->name = *given_name(g);
	if (err || !*g->name.s)
		return err ?: add_own(g, w, spec, fields, got);
	err = link_by_name(g->dev, &link);
	if (err)
		return err;
	g->ifindex = link.ifindex;
	g->tenant = spec->tenant;
	err = keep(g, w);
	err = err ?: world_add(w, spec, fields, got);
	if (!err) {
		sweep(g, w);
		return 0;
	}
	why = *failure();
	kept_remove(g->directory, g->own.s);
	return fail_again(&why);
}

int given_del(struct given *g, struct world *w, const struct tsw_name *tenant)
{
	int err = given_load(g, w, tenant);

	err = err ?: take(g, w);
	return err ?: world_del(w, tenant, &g->own, NULL);
}

int given_unpublish(const struct given *g, struct world *w, const struct tsw_name *tenant)
{
	const struct world_device at = {g->dev, g->ifindex};

	return *g->name.s ? world_unpublish(w, &g->tenant, &g->name, &at)
			  : world_unpublish(w, tenant, &g->own, NULL);
}

int given_get(const struct given *g, struct world *w, const struct tsw_name *tenant,
	      struct tsw_endpoint_spec *got)
{
	int err = world_get(w, *g->name.s ? &g->tenant : tenant, given_name(g), got);

	if (err || !*g->name.s || !strcmp(got->dev, g->dev))
		return err;
	return fail(ENOENT, "endpoint %s belongs to another container by now", quoted(g->name.s));
}
