// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "counters.h"
#include "err.h"
#include "host.h"
#include "text.h"

int check_host(struct words *w)
{
	if (w->n_ip == 1)
		return 0;
	return misuse(w->n_ip ? "a host has one \"ip\", its tunnel address"
			      : "a host needs an \"ip\", its tunnel address");
}

int cmd_host_add(struct tsw *t, const struct words *w)
{
	return host_add(t, &w->name, &w->ip[0]);
}

int cmd_host_replace(struct tsw *t, const struct words *w)
{
	return host_replace(t, &w->name, &w->ip[0]);
}

int cmd_host_set(struct tsw *t, const struct words *w)
{
	return host_set(t, &w->name, &w->ip[0]);
}

int cmd_host_del(struct tsw *t, const struct words *w)
{
	return host_del(t, &w->name);
}

struct item {
	__u32 id;
	struct tsw_host host;
};

static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return strcmp(x->host.name, y->host.name);
}

static int print(struct tsw *t, const struct item *host)
{
	struct tsw_host_stats stats = {};
	json_t *item = json_pack("{s:o, s:s, s:I}", "name", out_string(host->host.name), "ip",
				 addr_text(&host->host.addr), "endpoints",
				 (json_int_t)host->host.endpoints);
	int err = 0;

	if (t->counters) {
		err = map_sum(&t->maps, MAP_HOST_STATS, &host->id, &stats);
		json_object_set_new(item, "tx", counter_json(&stats.tx));
		json_object_set_new(item, "rx", counter_json(&stats.rx));
	}
	out_item(&t->out, item);
	return err == -ENOENT ? 0 : err;
}

int cmd_host_show(struct tsw *t, const struct words *w)
{
	cleanup_rows struct rows rows = {};
	struct item *all;
	struct tsw_host unused;
	__u32 id;
	size_t i;
	int err = w->given & W_NAME ? host_find(t, &w->name, &id, &unused) : 0;

	if (!err)
		err = map_rows(&t->maps, MAP_HOSTS, &rows);
	if (err)
		return err;
	all = calloc(rows.n + 1, sizeof(*all));
	if (!all)
		return fail(ENOMEM, "out of memory");
	for (i = 0; i < rows.n; i++) {
		memcpy(&all[i].id, row_key(&rows, i), sizeof(all[i].id));
		memcpy(&all[i].host, row_value(&rows, i), sizeof(all[i].host));
	}
	qsort(all, rows.n, sizeof(*all), compare);
	out_list_begin(&t->out);
	for (i = 0; !err && i < rows.n; i++)
		if (!(w->given & W_NAME) || !strcmp(all[i].host.name, w->name.s))
			err = print(t, &all[i]);
	out_list_end(&t->out);
	free(all);
	return err;
}
