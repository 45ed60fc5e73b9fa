// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/list.h"
#include "record/plugin.h"

bool plugin_device(const char *dev)
{
	const size_t prefix = strlen(PLUGIN_PREFIX);

	return !strncmp(dev, PLUGIN_PREFIX, prefix) &&
	       strlen(dev) == prefix + PLUGIN_NETWORK + PLUGIN_ENDPOINT &&
	       strspn(dev + prefix, PLUGIN_LETTERS) == PLUGIN_NETWORK + PLUGIN_ENDPOINT;
}

bool runtime_device(const char *dev)
{
	enum { DIGITS = 12 };
	const size_t prefix = strlen("ep-");

	return plugin_device(dev) ||
	       (!strncmp(dev, "ep-", prefix) && strlen(dev) == prefix + DIGITS &&
		strspn(dev + prefix, "0123456789abcdef") == DIGITS);
}

/* Of the device tswNNNNNAAAAAAA, see cni/names.c. */
static bool is_of_cni(const char *name, const char *dev)
{
	static const char all[] = "cni-NNNNNxxxxx-AAAAAAA-";
	char network[PLUGIN_NETWORK + 1], attachment[PLUGIN_ENDPOINT + 1];
	int end = 0;

	sscanf(name, "cni-%5[a-z2-7]%*5[a-z2-7]-%7[a-z2-7]-%n", network, attachment, &end);
	dev += strlen(PLUGIN_PREFIX);
	return end == sizeof(all) - 1 && !strncmp(dev, network, PLUGIN_NETWORK) &&
	       !strcmp(dev + PLUGIN_NETWORK, attachment);
}

/* docker-NNNNNNNNNNNN-EEEEEEEEEEEE, where an id may be shorter, see docker/names.c. */
static bool is_of_docker(const char *name)
{
	int end = 0;

	sscanf(name, "docker-%*12[0-9a-z]-%*12[0-9a-z]%n", &end);
	return end && !name[end];
}

/* ---- names that users gave -------------------------------------------------------- */

static bool copy(const json_t *all, const char *key, char *text, size_t room)
{
	const char *value = json_string_value(json_object_get(all, key));

	return value && (size_t)snprintf(text, room, "%s", value) < room;
}

static int read_file(struct plugins *p, const char *plugin, const char *directory, const char *name)
{
	struct plugin_given g = {.plugin = plugin};
	json_t *all;
	int err = 0;

	if ((size_t)snprintf(g.file, sizeof(g.file), "%s/%s", directory, name) >= sizeof(g.file))
		return 0;
	all = json_load_file(g.file, 0, NULL);
	if (copy(all, "dev", g.dev, sizeof(g.dev)) && plugin_device(g.dev) &&
	    copy(all, "name", g.name.s, sizeof(g.name.s)) &&
	    copy(all, "tenant", g.tenant.s, sizeof(g.tenant.s))) {
		copy(all, "instance", g.instance, sizeof(g.instance));
		err = list_append(&p->all, &p->n, &g, sizeof(g));
	}
	json_decref(all);
	return err;
}

static int read_directory(struct plugins *p, const char *root, const char *plugin,
			  const char *directory, const char *begins)
{
	const struct dirent *file;
	char path[PATH_MAX];
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s%s", root, directory);
	dir = opendir(path);
	while (!err && dir && (file = readdir(dir)))
		if (!strncmp(file->d_name, begins, strlen(begins)))
			err = read_file(p, plugin, path, file->d_name);
	if (dir)
		closedir(dir);
	return err;
}

int plugins_read(struct plugins *p, const char *root, const char *instance)
{
	char elsewhere[PATH_MAX];
	int err;

	*p = (struct plugins){};
	snprintf(elsewhere, sizeof(elsewhere), PLUGIN_ELSEWHERE, instance);
	err = read_directory(p, root, "tsw-cni", PLUGIN_CNI_DIRECTORY, "cni-");
	err = err ?: read_directory(p, root, "tsw-docker", PLUGIN_DOCKER_DIRECTORY, "docker-");
	return err ?: read_directory(p, root, "tsw-docker", elsewhere, "docker-");
}

void plugins_free(struct plugins *p)
{
	free(p->all);
	*p = (struct plugins){};
}

static const struct plugin_given *find(const struct plugins *p, const char *tenant,
				       const char *name, const char *dev)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (!strcmp(p->all[i].dev, dev) && !strcmp(p->all[i].name.s, name) &&
		    !strcmp(p->all[i].tenant.s, tenant))
			return &p->all[i];
	return NULL;
}

const char *plugin_of(const struct plugins *p, const char *tenant, const char *name,
		      const char *dev)
{
	const struct plugin_given *given;

	if (!plugin_device(dev))
		return NULL;
	if (is_of_cni(name, dev))
		return "tsw-cni";
	if (is_of_docker(name))
		return "tsw-docker";
	given = find(p, tenant, name, dev);
	return given ? given->plugin : NULL;
}

const char *plugin_of_dead(const struct plugins *p, const char *instance, const char *tenant,
			   const char *name, char dev[IFNAMSIZ])
{
	const struct plugin_given *g = p->all, *end = g + p->n;
	char network[PLUGIN_NETWORK + 1], attachment[PLUGIN_ENDPOINT + 1];

	*dev = '\0';
	if (is_of_docker(name))
		return "tsw-docker";
	if (sscanf(name, "cni-%5[a-z2-7]%*5[a-z2-7]-%7[a-z2-7]-", network, attachment) == 2) {
		snprintf(dev, IFNAMSIZ, PLUGIN_PREFIX "%s%s", network, attachment);
		if (is_of_cni(name, dev))
			return "tsw-cni";
		*dev = '\0';
	}
	while (g < end && (strcmp(g->name.s, name) || strcmp(g->tenant.s, tenant) ||
			   (*g->instance && strcmp(g->instance, instance))))
		g++;
	if (g == end)
		return NULL;
	snprintf(dev, IFNAMSIZ, "%s", g->dev);
	return g->plugin;
}

void plugin_forget(const struct plugins *p, const char *tenant, const char *name, const char *dev)
{
	const struct plugin_given *given = find(p, tenant, name, dev);

	if (given)
		unlink(given->file);
}
