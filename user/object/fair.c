// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sys/random.h>

#include "base/tick.h"
#include "object/fair.h"

static int get(const struct tsw *t, __u32 tenant, struct tsw_fair *fair)
{
	int err = map_get(&t->maps, MAP_FAIR, &tenant, fair);

	if (!err)
		return 0;
	*fair = (struct tsw_fair){};
	if (err == -ENOENT && getrandom(&fair->table, sizeof(fair->table), 0) < 0)
		fair->table = tenant;
	return err;
}

int fair_put(const struct tsw *t, __u32 tenant, const struct tsw_limits *limits)
{
	struct tsw_fair fair;
	int err = get(t, tenant, &fair);

	if (err && err != -ENOENT)
		return err;
	if (fair.connections == limits->connections && fair.half_open == limits->half_open)
		return 0;
	fair = (struct tsw_fair){.connections = limits->connections,
				 .half_open = limits->half_open,
				 .table = fair.table + 1};
	return map_put(&t->maps, MAP_FAIR, &tenant, &fair);
}

int fair_drop(const struct tsw *t, __u32 tenant)
{
	return map_del(&t->maps, MAP_FAIR, &tenant);
}

static json_t *limit_json(__u32 limit, __u32 without)
{
	if (limit == TSW_FAIR_NONE)
		return json_null();
	return json_integer(limit ? limit : without);
}

void fair_json(const struct tsw_limits *limits, json_t *item)
{
	json_object_set_new(item, "connections",
			    limit_json(limits->connections, TSW_FAIR_CONNECTIONS));
	json_object_set_new(item, "half_open", limit_json(limits->half_open, TSW_FAIR_HALF_OPEN));
}

static unsigned int live(const struct tsw_conn_bucket *bucket, __u32 now)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < TSW_CONN_ENTRIES; i++)
		n += (bucket->entry[i] & TSW_CONN_UNTIL) > now;
	return n;
}

static unsigned int half_open(const struct tsw_fair *fair, __u32 now, __u32 seconds)
{
	const __u32 most = TSW_FAIR_AGE(tick_of(seconds));
	unsigned int n = 0;
	int i;

	for (i = 0; i < TSW_FAIR_SLICES; i++)
		if ((now >> TSW_FAIR_SLICE) - fair->slice[i] < most)
			n += fair->begun[i];
	return n;
}

int fair_use_json(const struct tsw *t, const struct rows *conns, __u32 tenant, json_t *item)
{
	const __u32 now = tick_now();
	const __u32 zero = 0;
	struct tsw_timeouts timeouts;
	unsigned int n = 0;
	struct tsw_fair fair;
	size_t i;
	int err = get(t, tenant, &fair);

	if (!err || err == -ENOENT)
		err = map_get(&t->maps, MAP_TIMEOUTS, &zero, &timeouts);
	if (err)
		return err;
	for (i = 0; i < conns->n; i++) {
		const struct tsw_conn_key *key = row_key(conns, i);

		if (key->tenant == tenant && key->table == fair.table)
			n += live(row_value(conns, i), now);
	}
	json_object_set_new(item, "connections_used", json_integer(n));
	json_object_set_new(
		item, "half_open_used",
		json_integer(half_open(&fair, now, timeouts.seconds[TSW_TIMEOUT_TCP_SYN_SENT])));
	return 0;
}
