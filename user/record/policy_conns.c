// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
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
		return fail(ENOMEM, "out of memory");
	for (i = 0; i < rows.n; i++) {
		const struct tsw_policy *policy = row_value(&rows, i);

		if (policy->mode != TSW_POLICY_OFF)
			uses->all[uses->n++] =
				(struct policy_use){.tenant = *(const __u32 *)row_key(&rows, i),
						    .table = policy->table,
						    .share = policy->connections
								     ? policy->connections
								     : TSW_POLICY_CONNS};
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

int policy_uses_read(const struct tsw *t, struct policy_uses *uses)
{
	const __u32 now = (__u32)(clock_ns(CLOCK_MONOTONIC) >> TSW_FAIR_TICK & TSW_CONN_UNTIL);
	cleanup_rows struct rows rows = {};
	struct policy_use *use;
	size_t i;
	int err = read_policies(t, uses);

	if (!err && uses->n)
		err = map_rows(&t->maps, MAP_POLICY_CONNS, &rows);
	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_policy_conn_key *key = row_key(&rows, i);
		const struct policy_use want = {.tenant = key->tenant};

		use = bsearch(&want, uses->all, uses->n, sizeof(want), compare);
		if (use && use->table == key->table)
			use->open += open_in(row_value(&rows, i), now);
	}
	return err;
}

void policy_uses_free(struct policy_uses *uses)
{
	free(uses->all);
	*uses = (struct policy_uses){};
}
