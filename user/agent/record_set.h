/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of the cluster in memory, sorted by key. */
#ifndef TSW_AGENT_RECORD_SET_H
#define TSW_AGENT_RECORD_SET_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* KEY is the part behind the cluster's prefix, such as `e/100/a`. VALUE shares its memory. */
struct record {
	char *key;
	const char *value;
	__s64 modified; /* revision */
	__s64 lease;
};

struct record_set {
	struct record *all;
	size_t n;
	size_t octets; /* of all keys and values */
};

void record_set_free(struct record_set *r);

/*
 * Adds or replaces a record, copying WHAT. A record that is as new or newer stays. -E2BIG: the set
 * would exceed the octets that a host is ready to hold.
 */
int record_set_put(struct record_set *r, const struct record *what);

/* Adds a record that has only a key, in a set of such records. Without memory does nothing. */
void record_set_mark(struct record_set *r, const char *key);

/* Deletes a record that was deleted at revision MODIFIED; a newer one stays. False: unchanged. */
bool record_set_del(struct record_set *r, const char *key, __s64 modified);

/* Deletes all records whose key begins with PREFIX. */
void record_set_del_prefix(struct record_set *r, const char *prefix);

const struct record *record_set_find(const struct record_set *r, const char *key);

/* Index of the first record below PREFIX. They end at the first that is not record_set_is_in(). */
size_t record_set_first(const struct record_set *r, const char *prefix);
bool record_set_is_in(const struct record_set *r, size_t i, const char *prefix);

#endif
