// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/list.h"
#include "record/plugin.h"
#include "record/plugin_device.h"

/* Of cni/names.c and docker/names.c. */
enum { CNI_NETWORK = 10, ID_SHOWN = 12 };

#define ID_LETTERS "0123456789abcdefghijklmnopqrstuvwxyz"

/* cni-NNNNNxxxxx-AAAAAAA-… of the device tswNNNNNAAAAAAA */
static bool is_of_cni(const char *name, const char *dev)
{
	const char *network = name + strlen("cni-"), *attachment = network + CNI_NETWORK + 1;

	dev += strlen(PLUGIN_PREFIX);
	return !strncmp(name, "cni-", strlen("cni-")) &&
	       strspn(network, PLUGIN_LETTERS) == CNI_NETWORK && network[CNI_NETWORK] == '-' &&
	       strspn(attachment, PLUGIN_LETTERS) == PLUGIN_ENDPOINT &&
	       attachment[PLUGIN_ENDPOINT] == '-' && !strncmp(network, dev, PLUGIN_NETWORK) &&
	       !strncmp(attachment, dev + PLUGIN_NETWORK, PLUGIN_ENDPOINT);
}

/* docker-NNNNNNNNNNNN-EEEEEEEEEEEE, where an id may be shorter */
static bool is_of_docker(const char *name)
{
	const char *network = name + strlen("docker-"), *endpoint;
	size_t n;

	if (strncmp(name, "docker-", strlen("docker-")))
		return false;
	n = strspn(network, ID_LETTERS);
	endpoint = network + n + 1;
	if (!n || n > ID_SHOWN || network[n] != '-')
		return false;
	n = strspn(endpoint, ID_LETTERS);
	return n && n <= ID_SHOWN && !endpoint[n];
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

static int compare(const void *a, const void *b)
{
	const struct plugin_given *x = a, *y = b;

	return strcmp(x->dev, y->dev);
}

int plugins_read(struct plugins *p, const char *root)
{
	int err;

	*p = (struct plugins){};
	err = read_directory(p, root, "tsw-cni", PLUGIN_CNI_DIRECTORY, "cni-");
	err = err ?: read_directory(p, root, "tsw-docker", PLUGIN_DOCKER_DIRECTORY, "docker-");
	if (p->n)
		qsort(p->all, p->n, sizeof(*p->all), compare);
	return err;
}

void plugins_free(struct plugins *p)
{
	free(p->all);
	*p = (struct plugins){};
}

static const struct plugin_given *find(const struct plugins *p, const char *tenant,
				       const char *name, const char *dev)
{
	struct plugin_given key = {}, *g;

	strncpy(key.dev, dev, sizeof(key.dev) - 1);
	g = p->n ? bsearch(&key, p->all, p->n, sizeof(key), compare) : NULL;
	return g && !strcmp(g->name.s, name) && !strcmp(g->tenant.s, tenant) ? g : NULL;
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

void plugin_forget(const struct plugins *p, const char *tenant, const char *name, const char *dev)
{
	const struct plugin_given *given = find(p, tenant, name, dev);

	if (given)
		unlink(given->file);
}
