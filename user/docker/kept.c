// SPDX-License-Identifier: GPL-2.0-only
/*
 * Docker tells of a network once, and remembers it over restarts of its daemon and of the machine:
 * a file of each says whose it is, DIRECTORY/ID.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/text.h"
#include "docker/docker.h"
#include "plug/json.h"
#include "plug/kept.h"

const char *docker_directory(void)
{
	return getenv("STATE_DIRECTORY") ?: "/var/lib/tsw-docker"; /* systemd's StateDirectory= */
}

int docker_keep(const struct docker_network *n, const json_t *options)
{
	/* Docker's own note of the network is on the disk when it is answered: so is this. */
	return kept_write(docker_directory(), n->id,
			  json_pack("{s:b, s:b, s:O}", "ipv4", n->ipv4, "ipv6", n->ipv6, "options",
				    options),
			  true);
}

static int read_kept(const json_t *all, struct docker_network *n)
{
	const json_t *options;
	int err = plug_object(all, "options", &options);

	n->ipv4 = !json_is_false(json_object_get(all, "ipv4")); /* earlier ones do not say */
	n->ipv6 = json_is_true(json_object_get(all, "ipv6"));
	return err ?: docker_network_options(options, &n->options);
}

int docker_kept(const char *network, struct docker_network *n)
{
	const char *directory = docker_directory();
	json_t *all = NULL;
	int err;

	*n = (struct docker_network){.id = network, .options.instance = {"default"}};
	err = kept_read(directory, network, &all);
	if (err == -ENOENT)
		return fail(ENOENT, "network %s is not known here: there is no \"%s/%s\"",
			    quoted(network), escaped(directory), network);
	if (err)
		return err;
	err = read_kept(all, n);
	json_decref(all);
	if (err)
		fail_where("%s/%s: ", directory, network);
	return err;
}

int docker_forget(const char *network)
{
	return kept_remove(docker_directory(), network);
}
