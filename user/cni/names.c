// SPDX-License-Identifier: GPL-2.0-only
/*
 * DEL and GC know neither an ADD that was killed nor its result: what an ADD makes is named for
 * what it was asked, and for nothing else.
 *
 *     cni-NNNNNNNNNN-AAAAAAA-CONTAINER-IFNAME   the endpoint: network, attachment, for the reader
 *     tswNNNNNAAAAAAA                           the host's device; the kernel allows 15 octets
 *     tsw-cni NNNNNNNNNN ...                    its alias, which has more of the network
 */
#include <stdio.h>
#include <string.h>

#include "cni/cni.h"

enum { NETWORK_LETTERS = 10, DEV_LETTERS = 5, ATTACHMENT_LETTERS = 7, CONTAINER_LETTERS = 12 };

/* FNV-1a of 64 bits: nobody but the runtime chooses what is told here. */
static __u64 mix(__u64 hash, const char *text)
{
	do {
		hash ^= (unsigned char)*text;
		hash *= 0x100000001b3ULL;
	} while (*text++); /* with the NUL: "a" "bc" is not "ab" "c" */
	return hash;
}

/* N letters of 5 bits each, from the top: the low bits of FNV are its worst. */
static void letters(__u64 hash, unsigned int n, char *text)
{
	unsigned int i;

	hash ^= hash >> 32;
	hash *= 0x9e3779b97f4a7c15ULL;
	for (i = 0; i < n; i++, hash <<= 5)
		text[i] = "abcdefghijklmnopqrstuvwxyz234567"[hash >> 59];
	text[n] = '\0';
}

void cni_name(const char *instance, const char *network, const char *container, const char *ifname,
	      struct cni_names *names)
{
	char of[NETWORK_LETTERS + 1], attachment[ATTACHMENT_LETTERS + 1];
	__u64 hash = mix(mix(0xcbf29ce484222325ULL, instance), network);

	*names = (struct cni_names){};
	letters(hash, NETWORK_LETTERS, of);
	letters(mix(mix(hash, container), ifname), ATTACHMENT_LETTERS, attachment);
	snprintf(names->network, sizeof(names->network), "cni-%s-", of);
	snprintf(names->alias, sizeof(names->alias), "tsw-cni %s ", of);
	snprintf(names->dev_network, sizeof(names->dev_network), "tsw%.*s", DEV_LETTERS, of);
	snprintf(names->dev, sizeof(names->dev), "%s%s", names->dev_network, attachment);
	snprintf(names->endpoint.s, sizeof(names->endpoint.s), "%s%s-%.*s-%.*s", names->network,
		 attachment, CONTAINER_LETTERS, container, IFNAMSIZ - 1, ifname);
}
