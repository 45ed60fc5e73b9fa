// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "record/host_keys.h"
#include "record/hosts.h"

static int compare(const void *a, const void *b)
{
	const struct host_row *x = a, *y = b;

	return strcmp(x->host.name, y->host.name);
}

int hosts_read(const struct tsw *t, struct hosts *all)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_HOSTS, &rows);

	if (err)
		return err;
	all->row = calloc(rows.n + 1, sizeof(*all->row));
	if (!all->row)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		memcpy(&all->row[i].id, row_key(&rows, i), sizeof(all->row[i].id));
		memcpy(&all->row[i].host, row_value(&rows, i), sizeof(all->row[i].host));
	}
	all->n = rows.n;
	qsort(all->row, all->n, sizeof(*all->row), compare);
	for (i = 0; i < all->n; i++)
		if (all->row[i].id <= TSW_MAX_HOSTS)
			all->at[all->row[i].id] = (__u16)(i + 1);
	return 0;
}

void hosts_free(struct hosts *all)
{
	free(all->row);
}

const struct host_row *hosts_row(const struct hosts *all, __u32 id)
{
	return id <= TSW_MAX_HOSTS && all->at[id] ? &all->row[all->at[id] - 1] : NULL;
}

struct tsw_name host_name_of(const struct tsw *t, __u32 id)
{
	struct tsw_name name = {};
	struct tsw_host host;

	if (!id)
		memcpy(name.s, t->config.name, sizeof(name.s));
	else if (!map_get(&t->maps, MAP_HOSTS, &id, &host))
		memcpy(name.s, host.name, sizeof(name.s));
	return name;
}

int host_mtu_get(const struct tsw *t, __u32 id, __u32 *mtu)
{
	return map_get_or_zero(&t->maps, MAP_HOST_MTUS, &id, mtu);
}

int host_spec_get(const struct tsw *t, __u32 id, const struct tsw_host *host,
		  struct tsw_host_spec *spec)
{
	struct tsw_host_keys keys;
	int err = host_keys_get(t, id, &keys);

	*spec = (struct tsw_host_spec){.ip.preferred = host->preferred};
	memcpy(spec->name.s, host->name, sizeof(spec->name.s));
	memcpy(spec->ip.of, host->addr, sizeof(spec->ip.of));
	memcpy(spec->zone.s, host->zone, sizeof(spec->zone.s));
	if (!err)
		host_keys_list(host, &keys, &spec->key);
	return err ?: host_mtu_get(t, id, &spec->mtu);
}
