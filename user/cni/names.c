// SPDX-License-Identifier: GPL-2.0-only
/*
 * DEL and GC know nothing of an ADD that was killed, or of its result. So the names of what an ADD
 * makes depend only on its input.
 *
 *     cni-NNNNNNNNNN-AAAAAAA-CONTAINER-IFNAME   the endpoint: network, attachment, for the reader
 *     tswNNNNNAAAAAAA                           the host's device, see plugin_device()
 *     tsw-cni NNNNNNNNNN NETWORK CONTAINER IFNAME   its alias, which tells the owner
 *
 * A name that the user gave to the endpoint is kept in a file with the name above. By all of these
 * record/plugin.c knows an endpoint of this plugin.
 */
#include <stdio.h>
#include <string.h>

#include "cni/cni.h"
#include "plug/names.h"
#include "record/plugin.h"

enum { NETWORK_LETTERS = 10, CONTAINER_LETTERS = 12 };
enum { ALIAS_NETWORK = 80 }; /* letters of the network, so that the longest id still fits */

void cni_name(const char *instance, const char *network, const char *container, const char *ifname,
	      struct cni_names *names)
{
	char of[NETWORK_LETTERS + 1], attachment[PLUGIN_ENDPOINT + 1];
	__u64 hash = name_mix(name_mix(NAME_SEED, instance), network);

	*names = (struct cni_names){};
	name_letters(hash, NETWORK_LETTERS, of);
	name_letters(name_mix(name_mix(hash, container), ifname), PLUGIN_ENDPOINT, attachment);
	snprintf(names->network, sizeof(names->network), "cni-%s-", of);
	snprintf(names->alias, sizeof(names->alias), "tsw-cni %s ", of);
	snprintf(names->own_alias, sizeof(names->own_alias), "%s%.*s %s %s", names->alias,
		 ALIAS_NETWORK, network, container, ifname);
	snprintf(names->dev_network, sizeof(names->dev_network), PLUGIN_PREFIX "%.*s",
		 PLUGIN_NETWORK, of);
	snprintf(names->dev, sizeof(names->dev), "%s%s", names->dev_network, attachment);
	snprintf(names->endpoint.s, sizeof(names->endpoint.s), "%s%s-%.*s-%.*s", names->network,
		 attachment, CONTAINER_LETTERS, container, IFNAMSIZ - 1, ifname);
}

struct given cni_given(const struct cni_names *names)
{
	struct given given = {.directory = PLUGIN_CNI_DIRECTORY, .own = names->endpoint};

	memcpy(given.dev, names->dev, sizeof(given.dev));
	return given;
}
