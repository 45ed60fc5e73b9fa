// SPDX-License-Identifier: GPL-2.0-only
/*
 * Docker describes a network only once, and remembers it over restarts of its daemon and of the
 * host. So a file for each network, DIRECTORY/ID, keeps its options.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "docker/docker.h"
#include "plug/json.h"
#include "plug/kept.h"
#include "record/plugin.h"

const char *docker_directory(void)
{
	return getenv("STATE_DIRECTORY") ?: PLUGIN_DOCKER_DIRECTORY; /* systemd's StateDirectory= */
}

void docker_tell_directory(const char *instance)
{
	const char *directory = docker_directory();
	char path[PATH_MAX], now[PATH_MAX];
	ssize_t n;

	if (!strcmp(directory, PLUGIN_DOCKER_DIRECTORY))
		return;
	snprintf(path, sizeof(path), PLUGIN_ELSEWHERE, instance);
	n = readlink(path, now, sizeof(now) - 1);
	now[n > 0 ? n : 0] = '\0';
	if (!strcmp(now, directory))
		return;
	unlink(path);
	if (symlink(directory, path))
		return; /* only the removal of dead containers asks for it */
}

int docker_network_save(const struct docker_network *n, const json_t *options)
{
	/* Synced to the disk, as Docker does with its own note of the network. */
	return kept_write(docker_directory(), n->id,
			  json_pack("{s:b, s:b, s:O}", "ipv4", n->ipv4, "ipv6", n->ipv6, "options",
				    options),
			  true);
}

static int read_kept(const json_t *all, struct docker_network *n)
{
	const json_t *options;
	int err = plug_object(all, "options", &options);

	n->ipv4 = !json_is_false(json_object_get(all, "ipv4")); /* missing in older files */
	n->ipv6 = json_is_true(json_object_get(all, "ipv6"));
	return err ?: docker_options_read(options, DOCKER_NETWORK, &n->options);
}

int docker_network_load(const char *network, struct docker_network *n)
{
	const char *directory = docker_directory();
	json_t *all = NULL;
	int err;

	*n = (struct docker_network){.id = network, .options.instance = {"default"}};
	err = kept_read(directory, network, &all);
	if (err == -ENOENT)
		return fail(ENOENT, "network %s is not known here: \"%s/%s\" is missing",
			    quoted(network), escaped(directory), network);
	if (err)
		return err;
	err = read_kept(all, n);
	json_decref(all);
	if (err)
		fail_where("%s/%s: ", directory, network);
	return err;
}

int docker_network_forget(const char *network)
{
	return kept_remove(docker_directory(), network);
}
