// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "record/snapshot.h"

static const enum map read_maps[] = {
	MAP_TENANTS,	  MAP_TENANT_IDS,  MAP_HOSTS,	    MAP_HOST_IDS,      MAP_VTEPS,
	MAP_PORTS,	  MAP_FDB,	   MAP_ADDRS,	    MAP_ENDPOINTS,     MAP_GROUPS,
	MAP_GATEWAYS,	  MAP_MARKS,	   MAP_LIMITS,	    MAP_PEERS,	       MAP_PUBLISH,
	MAP_NAMES,	  MAP_MOVES,	   MAP_POLICIES,    MAP_POLICY_GROUPS, MAP_POLICY_MEMBERS,
	MAP_POLICY_RULES, MAP_POLICY_WAYS, MAP_FLOW_TABLES, MAP_SHARES,
};

enum { READ_MAPS = sizeof(read_maps) / sizeof(read_maps[0]) };

static int compare(const void *a, const void *b, void *rows)
{
	const struct rows *r = rows;

	return memcmp(row_key(r, *(const size_t *)a), row_key(r, *(const size_t *)b), r->key_size);
}

static int sort(struct snapshot *s, enum map map)
{
	size_t n = s->rows[map].n, i;

	s->order[map] = calloc(n + 1, sizeof(size_t));
	if (!s->order[map])
		return fail_memory();
	for (i = 0; i < n; i++)
		s->order[map][i] = i;
	qsort_r(s->order[map], n, sizeof(size_t), compare, &s->rows[map]);
	return 0;
}

int snapshot_read(const struct tsw *t, struct snapshot *s)
{
	int err = 0, i;

	memset(s, 0, sizeof(*s));
	for (i = 0; !err && i < READ_MAPS; i++) {
		err = map_rows(&t->maps, read_maps[i], &s->rows[read_maps[i]]);
		if (!err)
			err = sort(s, read_maps[i]);
	}
	return err;
}

void snapshot_free(struct snapshot *s)
{
	int i;

	for (i = 0; i < READ_MAPS; i++) {
		rows_free(&s->rows[read_maps[i]]);
		free(s->order[read_maps[i]]);
		s->order[read_maps[i]] = NULL;
	}
}

const void *snapshot_get(const struct snapshot *s, enum map map, const void *key)
{
	const struct rows *rows = &s->rows[map];
	size_t low = 0, high = rows->n, middle;
	int cmp;

	while (low < high) {
		middle = low + (high - low) / 2;
		cmp = memcmp(key, row_key(rows, s->order[map][middle]), rows->key_size);
		if (!cmp)
			return row_value(rows, s->order[map][middle]);
		if (cmp < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

const char *snapshot_tenant(const struct snapshot *s, __u32 tenant)
{
	const struct tsw_tenant *found = snapshot_get(s, MAP_TENANTS, &tenant);
	static _Thread_local char text[TSW_NAME_LEN + 1];

	if (found && found->name[0])
		snprintf(text, sizeof(text), "%.*s", TSW_NAME_LEN - 1, found->name);
	else
		snprintf(text, sizeof(text), "%u", tenant);
	return text;
}
