/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of tenants and drops, summed over CPUs, and the names of drop reasons. */
#ifndef TSW_COUNTERS_H
#define TSW_COUNTERS_H

#include <jansson.h>

#include "store/tsw.h"

/* All tenants: the rows are sorted by name for listing, and `by_id` is for finding. */
struct tenants {
	struct tenant_row {
		__u32 id;
		struct tsw_tenant tenant;
	} * row;
	size_t n;
	__u32 *by_id; /* indices of rows, in order of id */
};

int tenants_read(const struct tsw *t, struct tenants *all);
void tenants_free(struct tenants *all);
const struct tenant_row *tenants_row(const struct tenants *all, __u32 id);  /* or NULL */
const struct tsw_tenant *tenants_find(const struct tenants *all, __u32 id); /* or NULL */

/*
 * Sets (*STATS)[i] to the counters of the i-th row; zero without an entry. *N: the entries of the
 * map. The caller frees *STATS.
 */
int tenants_stats(const struct tsw *t, const struct tenants *all, struct tsw_stats **stats,
		  size_t *n);

/* The counters of one tenant. Zero: it has not sent anything yet. */
int tenant_stats(const struct tsw *t, __u32 id, struct tsw_stats *stats);

#define cleanup_tenants __attribute__((cleanup(tenants_free)))

/* All drop counters that are not zero, sorted by tenant id. */
struct drops {
	struct drop_row {
		struct tsw_drop_key key;
		struct tsw_counter count;
	} * row;
	size_t n;
	size_t entries; /* entries of the map, including those that are zero */
};

int drops_read(const struct tsw *t, struct drops *all);
void drops_free(struct drops *all);
__u64 drops_of(const struct drops *all, __u32 tenant); /* packets, for any reason */

#define cleanup_drops __attribute__((cleanup(drops_free)))

const char *drop_reason(__u16 reason);
const char *drop_direction(__u16 direction);

json_t *counter_json(const struct tsw_counter *counter);

#endif
