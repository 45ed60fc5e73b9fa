// SPDX-License-Identifier: GPL-2.0-only
/*
 * DeleteEndpoint and DeleteNetwork know nothing of a call that was killed: what a call makes is
 * named for the two ids, and for nothing else.
 *
 *     docker-NNNNNNNNNNNN-EEEEEEEEEEEE   the endpoint: what `docker` shows of network and endpoint
 *     tswNNNNNEEEEEEE, tsxNNNNNEEEEEEE   the host's device and the container's, by letters of both
 *     tsw-docker NNNNNNNNNNNN ENDPOINT   the alias of the host's, which tells whose it is
 *
 * Where the user gave the endpoint a name, a file has that, by the name above.
 */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "docker/docker.h"
#include "plug/json.h"
#include "plug/names.h"

enum { ID_MOST = 64, ID_SHOWN = 12, NETWORK_LETTERS = 5, ENDPOINT_LETTERS = 7 };

static int read_id(const json_t *said, const char *key, const char **id)
{
	static const char known[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	int err = plug_text(said, key, id);
	size_t n;

	if (err)
		return err;
	n = *id ? strlen(*id) : 0;
	return n && n <= ID_MOST && strspn(*id, known) == n
		       ? 0
		       : misuse("%s: %s is no id of Docker's", key, quoted(*id ?: ""));
}

int docker_ids(const json_t *said, const char **network, const char **endpoint)
{
	int err = read_id(said, "NetworkID", network);

	return err || !endpoint ? err : read_id(said, "EndpointID", endpoint);
}

void docker_name(const char *network, const char *endpoint, struct docker_names *names)
{
	const __u64 hash = name_mix(name_mix(NAME_SEED, "docker"), network);
	char of[NETWORK_LETTERS + 1], own[ENDPOINT_LETTERS + 1];

	*names = (struct docker_names){};
	name_letters(hash, NETWORK_LETTERS, of);
	snprintf(names->network, sizeof(names->network), "docker-%.*s-", ID_SHOWN, network);
	snprintf(names->alias, sizeof(names->alias), "tsw-docker %.*s ", ID_SHOWN, network);
	snprintf(names->dev_network, sizeof(names->dev_network), "tsw%s", of);
	if (!endpoint)
		return;
	name_letters(name_mix(hash, endpoint), ENDPOINT_LETTERS, own);
	snprintf(names->own_alias, sizeof(names->own_alias), "%s%s", names->alias, endpoint);
	snprintf(names->dev, sizeof(names->dev), "tsw%s%s", of, own);
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
