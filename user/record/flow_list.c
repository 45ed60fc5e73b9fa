// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "record/flow_list.h"

__u32 flow_buckets(__u32 entries)
{
	const __u32 n = entries ? entries : TSW_FLOWS;

	return (n + TSW_FLOW_BUCKET - 1) / TSW_FLOW_BUCKET;
}

int flow_table_load(const struct tsw *t, __u32 tenant, struct tsw_flow_table *table)
{
	return map_get_or_zero(&t->maps, MAP_FLOW_TABLES, &tenant, table);
}

static int add(struct flow_list *list, __u32 tenant, const struct tsw_flow_record *record)
{
	struct flow_row *grown;

	if (list->n == list->room) {
		grown = realloc(list->row, (2 * list->room + 64) * sizeof(*grown));
		if (!grown)
			return fail_memory();
		list->row = grown;
		list->room = 2 * list->room + 64;
	}
	list->row[list->n++] = (struct flow_row){tenant, *record};
	return 0;
}

/* Reads bucket by bucket, because the whole map would include all other tenants' flows. */
static int read_tenant(const struct tsw *t, __u32 tenant, struct flow_list *list)
{
	struct tsw_flow_bucket_key key = {.tenant = tenant};
	struct tsw_flow_bucket bucket;
	struct tsw_flow_table table;
	int err = flow_table_load(t, tenant, &table), i;

	for (; !err && key.bucket < table.buckets; key.bucket++) {
		err = map_get_locked(&t->maps, MAP_FLOW_CACHE, &key, &bucket);
		if (err == -ENOENT) { /* a command makes or removes the table now */
			err = 0;
			continue;
		}
		for (i = 0; !err && i < TSW_FLOW_BUCKET; i++)
			if (bucket.record[i].hash)
				err = add(list, tenant, &bucket.record[i]);
	}
	return err;
}

int flow_list_read(const struct tsw *t, __u32 tenant, struct flow_list *list)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err;

	*list = (struct flow_list){};
	if (tenant)
		return read_tenant(t, tenant, list);
	err = map_row_keys(&t->maps, MAP_FLOW_TABLES, &rows);
	for (i = 0; !err && i < rows.n; i++)
		err = read_tenant(t, *(const __u32 *)row_key(&rows, i), list);
	return err;
}

void flow_list_free(struct flow_list *list)
{
	free(list->row);
	*list = (struct flow_list){};
}
