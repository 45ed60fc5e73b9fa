/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds keys of a list in constant time, for maps that were read as a whole. */
#ifndef TSW_LOOKUP_H
#define TSW_LOOKUP_H

#include <stddef.h>

#include <linux/types.h>

#define LOOKUP_NONE ((size_t)-1)

struct lookup {
	__u32 *slot;
	size_t mask;
	const char *keys; /* the list; it must stay where it is */
	size_t stride;
	size_t len;
	__u64 secret[2]; /* of the hash */
};

/* For N different keys of LEN octets, STRIDE octets apart. An error has its message. */
int lookup_make(struct lookup *l, const void *keys, size_t n, size_t stride, size_t len);
void lookup_free(struct lookup *l);

/* The key's index in the list, or LOOKUP_NONE. */
size_t lookup_find(const struct lookup *l, const void *key);

#endif
