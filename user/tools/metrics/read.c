// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "kernel/system.h"
#include "kernel/tunnel.h"
#include "object/snat.h"
#include "record/gateway_find.h"
#include "store/attach.h"
#include "tools/metrics/read.h"
#include "wire/underlay.h"

static int read_tenants(const struct tsw *t, struct metrics *m)
{
	int err = tenants_read(t, &m->tenants);

	err = err ?: tenants_stats(t, &m->tenants, &m->stats, &m->map[MAP_STATS].entries);
	err = err ?: drops_read(t, &m->drops);
	m->map[MAP_TENANTS].entries = m->tenants.n;
	m->map[MAP_DROPS].entries = m->drops.entries;
	return err;
}

static int read_gateways(const struct tsw *t, struct metrics *m)
{
	cleanup_rows struct rows rows = {};
	const struct tenant_row *row;
	size_t i, at;
	int err = map_rows(&t->maps, MAP_GATEWAYS, &rows);

	if (err)
		return err;
	m->map[MAP_GATEWAYS].entries = rows.n;
	m->gateway = calloc(m->tenants.n + 1, sizeof(*m->gateway));
	if (!m->gateway)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		row = tenants_row(&m->tenants, *(const __u32 *)row_key(&rows, i));
		if (!row)
			continue;
		at = (size_t)(row - m->tenants.row);
		m->gateway[at].there = true;
		m->gateway[at].served = gateway_is_served(row_value(&rows, i));
		m->gateway[at].rank = gateway_rank(row_value(&rows, i));
	}
	return 0;
}

static int read_snats(const struct tsw *t, struct metrics *m)
{
	cleanup_rows struct rows rows = {};
	const struct tsw_snat *snat;
	size_t i;
	int err = map_rows(&t->maps, MAP_SNATS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		snat = row_value(&rows, i);
		m->snats_left += snat->gateways && snat_is_left(snat);
	}
	return err;
}

static int read_hosts(const struct tsw *t, struct metrics *m)
{
	cleanup_rows struct rows rows = {};
	const struct tsw_host_stats *stats;
	const struct host_row *row;
	size_t i;
	int err = hosts_read(t, &m->hosts);

	err = err ?: map_rows(&t->maps, MAP_HOST_STATS, &rows);
	if (err)
		return err;
	m->map[MAP_HOSTS].entries = m->hosts.n;
	m->map[MAP_HOST_STATS].entries = rows.n;
	m->traffic = calloc(m->hosts.n + 1, sizeof(*m->traffic));
	if (!m->traffic)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		row = hosts_row(&m->hosts, *(const __u32 *)row_key(&rows, i));
		if (!row)
			continue;
		stats = row_value(&rows, i);
		m->traffic[row - m->hosts.row].tx = stats->tx;
		m->traffic[row - m->hosts.row].rx = stats->rx;
	}
	for (i = 0; !err && i < m->hosts.n; i++)
		err = host_mtu_get(t, m->hosts.row[i].id, &m->traffic[i].mtu);
	return err;
}

/* Maps whose entries are read, so need not be counted. */
static bool is_read(int map)
{
	return map == MAP_TENANTS || map == MAP_STATS || map == MAP_DROPS || map == MAP_HOSTS ||
	       map == MAP_HOST_STATS || map == MAP_GATEWAYS || map == MAP_TAKEN;
}

static int read_maps(const struct tsw *t, struct metrics *m)
{
	int map, err = 0;

	for (map = 0; !err && map < MAP_COUNT; map++) {
		err = map_usage(&t->maps, map, &m->map[map].usage);
		if (!err && !is_read(map) && map != MAP_WATCH_EVENTS) /* rings, not entries */
			err = map_count(&t->maps, map, &m->map[map].entries);
	}
	return err;
}

static int read_runs(struct tsw *t, struct metrics *m)
{
	int prog, err = 0;

	m->runs_counted = system_counts_runs();
	for (prog = 0; !err && prog < PROG_COUNT; prog++) {
		err = prog_runs(t, prog, &m->prog[prog].runs, &m->prog[prog].ns);
		if (m->prog[prog].runs)
			m->runs_counted = true;
	}
	return err;
}

/* In another network namespace the switch's devices are not visible. */
static int read_devices(const struct tsw *t, struct metrics *m)
{
	unsigned int i;
	int err = 0;

	if (!tunnel_is_of(t->config.tunnel, t->instance))
		return 0;
	m->n_devs = underlay_staying(&t->config);
	for (i = 0; !err && i < m->n_devs; i++) {
		err = link_by_index(t->config.underlay[i].ifindex, &m->dev[i]);
		if (err == -ENODEV)
			err = 0;
	}
	return err;
}

int metrics_read(struct tsw *t, struct metrics *m)
{
	int err = read_tenants(t, m);

	err = err ?: read_gateways(t, m);
	err = err ?: read_snats(t, m);
	err = err ?: read_hosts(t, m);
	err = err ?: map_rows(&t->maps, MAP_TAKEN, &m->taken);
	m->map[MAP_TAKEN].entries = m->taken.n;
	err = err ?: read_maps(t, m);
	err = err ?: read_runs(t, m);
	return err ?: read_devices(t, m);
}

void metrics_free(struct metrics *m)
{
	tenants_free(&m->tenants);
	drops_free(&m->drops);
	hosts_free(&m->hosts);
	rows_free(&m->taken);
	free(m->stats);
	free(m->traffic);
	free(m->gateway);
}
