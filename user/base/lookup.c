// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/lookup.h"

enum { LEAST = 16 };

/* Each word is mixed into all bits; the lower ones choose the slot. */
static __u64 mix(__u64 h, __u64 word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
	return h ^ (h >> 32);
}

static size_t hash(const char *key, size_t len)
{
	__u64 h = len, word;

	for (; len >= sizeof(word); key += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, key, sizeof(word));
		h = mix(h, word);
	}
	word = 0;
	memcpy(&word, key, len);
	return (size_t)mix(h, word);
}

int lookup_make(struct lookup *l, const void *keys, size_t n, size_t stride, size_t len)
{
	size_t size = LEAST, i, at;

	while (size < n * 2)
		size *= 2;
	*l = (struct lookup){};
	if (!n)
		return 0;
	*l = (struct lookup){calloc(size, sizeof(*l->slot)), size - 1, keys, stride, len};
	if (!l->slot)
		return fail_memory();
	for (i = 0; i < n; i++) {
		at = hash(l->keys + i * stride, len) & l->mask;
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
	i = hash(key, l->len) & l->mask;
	while (l->slot[i] && memcmp(l->keys + (l->slot[i] - 1) * l->stride, key, l->len))
		i = (i + 1) & l->mask;
	return l->slot[i] ? l->slot[i] - 1 : LOOKUP_NONE;
}
