// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/if_ether.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/ids.h"
#include "kernel/refused.h"
#include "record/counters.h"

static const char *const reasons[TSW_DROP_MAX] = {
#define TSW_X(id, word) [TSW_DROP_##id] = (word),
	TSW_DROP_REASONS(TSW_X)
#undef TSW_X
};

static const char *const directions[TSW_DIR_MAX] = {
#define TSW_X(id, word) [TSW_DIR_##id] = (word),
	TSW_DIRECTIONS(TSW_X)
#undef TSW_X
};

const char *drop_reason(__u16 reason)
{
	return reason < TSW_DROP_MAX && reasons[reason] ? reasons[reason] : "internal";
}

const char *drop_direction(__u16 direction)
{
	return direction < TSW_DIR_MAX ? directions[direction] : "unknown";
}

json_t *counter_json(const struct tsw_counter *counter)
{
	return json_pack("{s:I, s:I}", "packets", (json_int_t)counter->packets, "bytes",
			 (json_int_t)counter->bytes);
}

static int compare_names(const void *a, const void *b)
{
	const struct tenant_row *x = a, *y = b;

	return strcmp(x->tenant.name, y->tenant.name);
}

static int compare_ids(const void *a, const void *b, void *data)
{
	const struct tenant_row *row = data;
	__u32 x = row[*(const __u32 *)a].id, y = row[*(const __u32 *)b].id;

	return x < y ? -1 : x > y;
}

int tenants_read(const struct tsw *t, struct tenants *all)
{
	cleanup_rows struct rows rows = {};
	__u32 i;
	int err = map_rows(&t->maps, MAP_TENANTS, &rows);

	if (err)
		return err;
	all->row = calloc(rows.n + 1, sizeof(*all->row));
	all->by_id = calloc(rows.n + 1, sizeof(*all->by_id));
	if (!all->row || !all->by_id)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		memcpy(&all->row[i].id, row_key(&rows, i), sizeof(all->row[i].id));
		memcpy(&all->row[i].tenant, row_value(&rows, i), sizeof(all->row[i].tenant));
		all->by_id[i] = i;
	}
	all->n = rows.n;
	qsort(all->row, all->n, sizeof(*all->row), compare_names);
	qsort_r(all->by_id, all->n, sizeof(*all->by_id), compare_ids, all->row);
	return 0;
}

void tenants_free(struct tenants *all)
{
	free(all->row);
	free(all->by_id);
}

const struct tenant_row *tenants_row(const struct tenants *all, __u32 id)
{
	size_t low = 0, high = all->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (all->row[all->by_id[middle]].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == all->n || all->row[all->by_id[low]].id != id)
		return NULL;
	return &all->row[all->by_id[low]];
}

const struct tsw_tenant *tenants_find(const struct tenants *all, __u32 id)
{
	const struct tenant_row *row = tenants_row(all, id);

	return row ? &row->tenant : NULL;
}

int tenant_stats(const struct tsw *t, __u32 id, struct tsw_stats *stats)
{
	struct tsw_tenant_stats all = {};
	int err = map_sum(&t->maps, MAP_STATS, &id, &all);

	*stats = all.count;
	return err == -ENOENT ? 0 : err;
}

int tenants_stats(const struct tsw *t, const struct tenants *all, struct tsw_stats **stats,
		  size_t *n)
{
	cleanup_rows struct rows rows = {};
	const struct tenant_row *row;
	size_t i;
	int err = map_rows(&t->maps, MAP_STATS, &rows);

	*stats = err ? NULL : calloc(all->n + 1, sizeof(**stats));
	if (!err && !*stats)
		err = fail_memory();
	for (i = 0; !err && i < rows.n; i++) {
		row = tenants_row(all, *(const __u32 *)row_key(&rows, i));
		if (row)
			memcpy(&(*stats)[row - all->row], row_value(&rows, i), sizeof(**stats));
	}
	*n = rows.n;
	return err;
}

static int compare_drops(const void *a, const void *b)
{
	const struct tsw_drop_key *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	if (x->reason != y->reason)
		return x->reason < y->reason ? -1 : 1;
	return x->direction < y->direction ? -1 : x->direction > y->direction;
}

/* Appends what the router's rules have refused, with Ethernet headers as everywhere else. */
static void append_refused(const struct tsw *t, const struct refused_list *list, struct drops *all)
{
	struct drop_row *row;
	struct tsw_mark mark;
	size_t i;

	for (i = 0; i < list->n; i++) {
		const struct refused *r = &list->at[i];

		if (map_get(&t->maps, MAP_MARKS, &r->index, &mark))
			mark = (struct tsw_mark){};
		row = &all->row[all->n++];
		row->key = (struct tsw_drop_key){.tenant = mark.tenant,
						 .reason = r->reason,
						 .direction = TSW_DIR_TO_GATEWAY};
		row->count = r->count;
		row->count.bytes += r->count.packets * ETH_HLEN;
	}
}

/* Sorts the rows, and adds those with the same key up to one. */
static void merge(struct drops *all)
{
	size_t i, n = 0;

	qsort(all->row, all->n, sizeof(*all->row), compare_drops);
	for (i = 0; i < all->n; i++) {
		if (!n || compare_drops(&all->row[n - 1], &all->row[i])) {
			all->row[n++] = all->row[i];
			continue;
		}
		all->row[n - 1].count.packets += all->row[i].count.packets;
		all->row[n - 1].count.bytes += all->row[i].count.bytes;
	}
	all->n = n;
}

int drops_read(const struct tsw *t, struct drops *all)
{
	cleanup_rows struct rows rows = {};
	cleanup_refused struct refused_list refused = {};
	struct tsw_counter count;
	size_t i;
	int err = map_rows(&t->maps, MAP_DROPS, &rows);

	if (!err && t->config.gateway)
		err = refused_read(&refused);
	if (err)
		return err;
	all->row = calloc(rows.n + refused.n + 1, sizeof(*all->row));
	if (!all->row)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		memcpy(&count, row_value(&rows, i), sizeof(count));
		if (!count.packets)
			continue;
		memcpy(&all->row[all->n].key, row_key(&rows, i), sizeof(all->row[0].key));
		all->row[all->n++].count = count;
	}
	all->entries = rows.n;
	append_refused(t, &refused, all);
	merge(all);
	return 0;
}

void drops_free(struct drops *all)
{
	free(all->row);
}

__u64 drops_of(const struct drops *all, __u32 tenant)
{
	size_t i = ids_first(all->row, all->n, sizeof(*all->row),
			     offsetof(struct drop_row, key.tenant), tenant);
	__u64 packets = 0;

	for (; i < all->n && all->row[i].key.tenant == tenant; i++)
		packets += all->row[i].count.packets;
	return packets;
}
