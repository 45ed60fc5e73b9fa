// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/tick.h"
#include "object/policy_sweep.h"
#include "record/policy_conns.h"
#include "record/policy_find.h"

struct sweep {
	const struct tsw *t;
	__u32 now;
	bool dry;
	size_t n;
	__u32 tenant; /* whose policy was read last */
	__u32 table;  /* and its table */
};

/* *FORGOTTEN: the bucket's table is not the tenant's present one, which may change meanwhile. */
static int is_forgotten(struct sweep *s, const struct tsw_policy_conn_key *key, bool *forgotten)
{
	struct tsw_policy policy;
	int err;

	*forgotten = false;
	if (s->tenant == key->tenant && s->table == key->table)
		return 0;
	err = policy_load(s->t, key->tenant, &policy);
	s->tenant = key->tenant;
	s->table = policy.table;
	*forgotten = s->table != key->table;
	return err;
}

/* Puts the bucket back if a connection has begun in it, unless a new bucket exists already. */
static int take(struct sweep *s, const struct tsw_policy_conn_key *key, bool forgotten)
{
	struct tsw_policy_bucket bucket;
	int err = map_take_locked(&s->t->maps, MAP_POLICY_CONNS, key, &bucket);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (forgotten || policy_bucket_is_over(&bucket, s->now)) {
		s->n++;
		return 0;
	}
	err = map_put_back(&s->t->maps, MAP_POLICY_CONNS, key, &bucket);
	return err == -EEXIST ? 0 : err;
}

/* A spare bucket stays as long as its table: it serves when the kernel refuses a new bucket. */
static int visit(void *context, const void *its, const void *bucket)
{
	const struct tsw_policy_conn_key *key = its;
	struct sweep *s = context;
	bool forgotten = false;
	int err = 0;

	if (key->bucket == TSW_POLICY_SPARE || !policy_bucket_is_over(bucket, s->now)) {
		err = is_forgotten(s, key, &forgotten);
		if (err || !forgotten)
			return err;
	}
	s->n += s->dry;
	return s->dry ? 0 : take(s, key, forgotten);
}

int policy_sweep(const struct tsw *t, bool dry, size_t *n)
{
	struct sweep s = {.t = t, .now = tick_now(), .dry = dry};
	int err = map_walk(&t->maps, MAP_POLICY_CONNS, visit, &s);

	*n = s.n;
	return err;
}
