// SPDX-License-Identifier: GPL-2.0-only
#include "base/clock.h"
#include "watch/vips.h"

int vips_begin(struct watch *w)
{
	w->vips_at = clock_kernel_ns();
	return w->vip ? snapshot_index(&w->t->maps, MAP_TAKEN, &w->vips) : 0;
}

static bool is_taken(const struct watch *w, const struct tsw_addr_key *key,
		     const struct tsw_taken *now)
{
	const struct tsw_taken *before = snapshot_get(&w->vips, MAP_TAKEN, key);

	return now->at && now->at != (before ? before->at : 0) &&
	       (!w->want.tenant || w->want.tenant == key->tenant);
}

int vips_look(struct watch *w)
{
	struct snapshot now = {};
	const struct rows *rows = &now.rows[MAP_TAKEN];
	size_t i;
	int err;

	if (!w->vip || clock_kernel_ns() - w->vips_at < SECOND_NS)
		return 0;
	w->vips_at = clock_kernel_ns();
	err = snapshot_index(&w->t->maps, MAP_TAKEN, &now);
	for (i = 0; !err && i < rows->n; i++)
		if (is_taken(w, row_key(rows, i), row_value(rows, i)))
			err = w->vip(w, row_key(rows, i), row_value(rows, i));
	snapshot_free(&w->vips);
	w->vips = now;
	return err;
}
