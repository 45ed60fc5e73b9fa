// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "agent/flip.h"
#include "base/err.h"
#include "switch/session.h"

enum { LOCK_MS = 2000 }; /* longest wait for another command */

static size_t choose(const struct rows *rows, const struct lives *lives, struct gateway_flip *flips,
		     size_t *moves)
{
	size_t i, n = 0;

	for (i = 0; i < rows->n; i++) {
		const struct tsw_gateway *gw = row_value(rows, i);

		if (!gw->n_ranks || !rank_choose(gw, lives, &flips[n]))
			continue;
		*moves += flips[n].host != gw->host;
		flips[n++].tenant = *(const __u32 *)row_key(rows, i);
	}
	return n;
}

static int serve(const struct tsw *ro, const struct gateway_flip *flips, size_t n)
{
	struct tsw t = TSW_CLOSED;
	int err;

	t.instance = ro->instance;
	t.log = ro->log;
	t.will_write = true;
	t.wait_ms = LOCK_MS;
	err = session_open(&t);
	err = err ?: gateways_serve(&t, flips, n);
	session_close(&t);
	return err;
}

int flip_all(const struct tsw *ro, const struct lives *lives, size_t *moves)
{
	cleanup_rows struct rows rows = {};
	struct gateway_flip *flips;
	size_t n, all = 0;
	int err = map_rows(&ro->maps, MAP_GATEWAYS, &rows);

	*moves = 0;
	if (err || !rows.n)
		return err;
	flips = calloc(rows.n, sizeof(*flips));
	if (!flips)
		return fail_memory();
	n = choose(&rows, lives, flips, &all);
	if (n)
		err = serve(ro, flips, n);
	if (!err)
		*moves = all;
	free(flips);
	return err;
}
