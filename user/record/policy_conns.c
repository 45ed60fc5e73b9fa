// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/err.h"
#include "base/tick.h"
#include "record/policy_conns.h"

static int compare(const void *a, const void *b)
{
	const struct policy_use *x = a, *y = b;

	return x->tenant < y->tenant ? -1 : x->tenant > y->tenant;
}

static int read_policies(const struct tsw *t, struct policy_uses *uses)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_POLICIES, &rows);

	if (err)
		return err;
	uses->all = calloc(rows.n + 1, sizeof(*uses->all));
	if (!uses->all)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		const struct tsw_policy *policy = row_value(&rows, i);

		if (policy->mode == TSW_POLICY_OFF)
			continue;
		uses->all[uses->n] = (struct policy_use){
			.tenant = *(const __u32 *)row_key(&rows, i),
			.table = policy->table,
			.share = policy->connections ? policy->connections : TSW_POLICY_CONNS};
		uses->promised += TSW_POLICY_BUCKETS(uses->all[uses->n++].share) + 1; /* spare */
	}
	qsort(uses->all, uses->n, sizeof(*uses->all), compare);
	return 0;
}

static __u32 open_in(const struct tsw_policy_bucket *bucket, __u32 now)
{
	const __u32 closed = TSW_POLICY_FIN_LOW | TSW_POLICY_FIN_HIGH;
	__u32 n = 0;
	int i;

	for (i = 0; i < TSW_POLICY_BUCKET; i++) {
		const struct tsw_policy_conn *c = &bucket->conn[i];

		n += c->until > now && c->state & TSW_POLICY_ANSWERED &&
		     (c->state & closed) != closed;
	}
	return n;
}

bool policy_bucket_is_over(const struct tsw_policy_bucket *bucket, __u32 now)
{
	int i;

	for (i = 0; i < TSW_POLICY_BUCKET; i++)
		if (bucket->conn[i].until > now)
			return false;
	return true;
}

struct counting {
	struct policy_uses *uses;
	__u32 now;
};

static int count_bucket(void *context, const void *its, const void *bucket)
{
	const struct counting *c = context;
	const struct tsw_policy_conn_key *key = its;
	const struct policy_use want = {.tenant = key->tenant};
	struct policy_use *use = bsearch(&want, c->uses->all, c->uses->n, sizeof(want), compare);

	c->uses->buckets++;
	if (use && use->table == key->table)
		use->open += open_in(bucket, c->now);
	return 0;
}

int policy_uses_read(const struct tsw *t, struct policy_uses *uses)
{
	struct counting c = {uses, tick_now()};
	struct map_usage usage = {};
	int err = read_policies(t, uses);

	if (err || !uses->n)
		return err;
	err = map_usage(&t->maps, MAP_POLICY_CONNS, &usage);
	uses->room = usage.capacity;
	return err ?: map_walk(&t->maps, MAP_POLICY_CONNS, count_bucket, &c);
}

void policy_uses_free(struct policy_uses *uses)
{
	free(uses->all);
	*uses = (struct policy_uses){};
}
