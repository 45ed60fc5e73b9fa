/* SPDX-License-Identifier: GPL-2.0-only */
/* The cluster's records in memory, those that this host follows, sorted by key. */
#ifndef TSW_AGENT_RECORDS_H
#define TSW_AGENT_RECORDS_H

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

struct records {
	struct record *all;
	size_t n, room;
};

void records_free(struct records *r);

/* WHAT's texts are copied. One that is as new or newer stays. -ENOMEM. */
int records_put(struct records *r, const struct record *what);

/* At revision MODIFIED; what is newer stays. False: nothing was done. */
bool records_del(struct records *r, const char *key, __s64 modified);

/* All whose key begins so. */
void records_del_prefix(struct records *r, const char *prefix);

const struct record *records_find(const struct records *r, const char *key);

/* Where those begin whose key begins so; they end where records_is_in() says no. */
size_t records_first(const struct records *r, const char *prefix);
bool records_is_in(const struct records *r, size_t i, const char *prefix);

#endif
