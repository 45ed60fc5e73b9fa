/* SPDX-License-Identifier: GPL-2.0-only */
/* The cluster's records in memory, those that this host follows, sorted by key. */
#ifndef TSW_AGENT_RECORD_SET_H
#define TSW_AGENT_RECORD_SET_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* KEY is what stands behind the cluster's prefix, as `e/100/a`. Both in one piece of memory. */
struct record {
	char *key;
	const char *value;
	__s64 modified; /* revision */
	__s64 lease;
};

struct record_set {
	struct record *all;
	size_t n, room;
	size_t octets; /* of all texts */
};

void record_set_free(struct record_set *r);

/*
 * WHAT's texts are copied. One that is as new or newer stays. -ENOMEM; -E2BIG: all have as many
 * octets as this host is ready to hold.
 */
int record_set_put(struct record_set *r, const struct record *what);

/* At revision MODIFIED; what is newer stays. False: nothing was done. */
bool record_set_del(struct record_set *r, const char *key, __s64 modified);

/* All whose key begins so. */
void record_set_del_prefix(struct record_set *r, const char *prefix);

const struct record *record_set_find(const struct record_set *r, const char *key);

/* Where those begin whose key begins so; they end where mirror_is_in() says no. */
size_t record_set_first(const struct record_set *r, const char *prefix);
bool record_set_is_in(const struct record_set *r, size_t i, const char *prefix);

#endif
