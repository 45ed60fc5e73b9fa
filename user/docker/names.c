// SPDX-License-Identifier: GPL-2.0-only
/*
 * DeleteEndpoint and DeleteNetwork know nothing of a call that was killed. So the names of what a
 * call makes depend only on the two ids.
 *
 *     docker-NNNNNNNNNNNN-EEEEEEEEEEEE   the endpoint, by the ids that `docker` shows
 *     tswNNNNNEEEEEEE, tsxNNNNNEEEEEEE   the host's device and the container's, by letters of both
 *     tsw-docker NNNNNNNNNNNN ENDPOINT   the alias of the host's device, which tells the owner
 *
 * A name that the user gave to the endpoint is kept in a file with the name above. By all of these
 * record/plugin.c knows an endpoint of this plugin.
 */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "docker/docker.h"
#include "plug/json.h"
#include "plug/names.h"
#include "record/plugin.h"

enum { ID_MOST = 64, ID_SHOWN = 12 };

static int read_id(const json_t *body, const char *key, const char **id)
{
	static const char known[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	int err = plug_text(body, key, id);
	size_t n;

	if (err)
		return err;
	n = *id ? strlen(*id) : 0;
	return n && n <= ID_MOST && strspn(*id, known) == n
		       ? 0
		       : misuse("%s: %s is not an id of Docker", key, quoted(*id ?: ""));
}

int docker_ids(const json_t *body, const char **network, const char **endpoint)
{
	int err = read_id(body, "NetworkID", network);

	return err || !endpoint ? err : read_id(body, "EndpointID", endpoint);
}

void docker_name(const char *network, const char *endpoint, struct docker_names *names)
{
	const __u64 hash = name_mix(name_mix(NAME_SEED, "docker"), network);
	char of[PLUGIN_NETWORK + 1], own[PLUGIN_ENDPOINT + 1];

	*names = (struct docker_names){};
	name_letters(hash, PLUGIN_NETWORK, of);
	snprintf(names->network, sizeof(names->network), "docker-%.*s-", ID_SHOWN, network);
	snprintf(names->alias, sizeof(names->alias), "tsw-docker %.*s ", ID_SHOWN, network);
	snprintf(names->dev_network, sizeof(names->dev_network), PLUGIN_PREFIX "%s", of);
	if (!endpoint)
		return;
	name_letters(name_mix(hash, endpoint), PLUGIN_ENDPOINT, own);
	snprintf(names->own_alias, sizeof(names->own_alias), "%s%s", names->alias, endpoint);
	snprintf(names->dev, sizeof(names->dev), PLUGIN_PREFIX "%s%s", of, own);
	snprintf(names->inside, sizeof(names->inside), "tsx%s%s", of, own);
	snprintf(names->endpoint.s, sizeof(names->endpoint.s), "%s%.*s", names->network, ID_SHOWN,
		 endpoint);
}

struct given docker_given(const struct docker_names *names)
{
	struct given given = {.directory = docker_directory(), .own = names->endpoint};

	memcpy(given.dev, names->dev, sizeof(given.dev));
	return given;
}
