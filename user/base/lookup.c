// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/err.h"
#include "base/lookup.h"

enum { LEAST = 16 };

/*
 * Multiplies by the secret in each step, and keeps all 128 bits of the product: tenants choose MACs
 * and addresses, and must not be able to choose keys that meet in one slot.
 */
static __u64 mix(const __u64 *secret, __u64 h, __u64 word)
{
	const unsigned __int128 product =
		(unsigned __int128)(h ^ word ^ secret[0]) * (secret[1] | 1);

	return (__u64)product ^ (__u64)(product >> 64);
}

static size_t hash(const struct lookup *l, const char *key)
{
	size_t len = l->len;
	__u64 h = len, word;

	for (; len >= sizeof(word); key += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, key, sizeof(word));
		h = mix(l->secret, h, word);
	}
	word = 0;
	memcpy(&word, key, len);
	return (size_t)mix(l->secret, h, word);
}

int lookup_make(struct lookup *l, const void *keys, size_t n, size_t stride, size_t len)
{
	size_t size = LEAST, i, at;

	while (size < n * 2)
		size *= 2;
	*l = (struct lookup){};
	if (!n)
		return 0;
	*l = (struct lookup){calloc(size, sizeof(*l->slot)), size - 1, keys, stride, len, {}};
	if (!l->slot)
		return fail_memory();
	if (getrandom(l->secret, sizeof(l->secret), 0) < 0)
		return fail(errno, "no random numbers: %s", strerror(errno));
	for (i = 0; i < n; i++) {
		at = hash(l, l->keys + i * stride) & l->mask;
		while (l->slot[at])
			at = (at + 1) & l->mask;
		l->slot[at] = (__u32)i + 1;
	}
	return 0;
}

void lookup_free(struct lookup *l)
{
	free(l->slot);
}

size_t lookup_find(const struct lookup *l, const void *key)
{
	size_t i;

	if (!l->slot)
		return LOOKUP_NONE;
	i = hash(l, key) & l->mask;
	while (l->slot[i] && memcmp(l->keys + (l->slot[i] - 1) * l->stride, key, l->len))
		i = (i + 1) & l->mask;
	return l->slot[i] ? l->slot[i] - 1 : LOOKUP_NONE;
}
