// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/crypt.h"
#include "object/host.h"
#include "object/spec.h"
#include "record/counters.h"
#include "record/hosts.h"

int fit_host(struct words *w)
{
	return spec_check_host(&w->name);
}

int fit_host_set(struct words *w)
{
	return w->given & ~W_NAME ? 0 : misuse("nothing to set: give ip, zone or key");
}

/* The one that was given first, then the other. */
static json_t *addresses(const struct tsw_host *host)
{
	const enum tsw_family other = host->preferred == TSW_IPV4 ? TSW_IPV6 : TSW_IPV4;
	json_t *list = json_pack("[s]", addr_text(&host->addr[host->preferred]));

	if (!addr_is_none(&host->addr[other]))
		json_array_append_new(list, json_string(addr_text(&host->addr[other])));
	return list;
}

static int print(struct cli *cli, const struct crypt *crypt, const struct host_row *host)
{
	struct tsw_host_stats stats = {};
	json_t *item =
		json_pack("{s:o, s:s, s:o, s:I}", "name", json_text(host->host.name), "ip",
			  addr_text(&host->host.addr[host->host.family]), "ips",
			  addresses(&host->host), "endpoints", (json_int_t)host->host.endpoints);
	int err = 0;

	if (*host->host.zone)
		json_object_set_new(item, "zone", json_text(host->host.zone));
	err = cmd_crypt_host(crypt, host, item);
	if (!err && cli->counters) {
		err = map_sum(&cli->tsw.maps, MAP_HOST_STATS, &host->id, &stats);
		json_object_set_new(item, "tx", counter_json(&stats.tx));
		json_object_set_new(item, "rx", counter_json(&stats.rx));
	}
	out_item(&cli->out, item);
	return err == -ENOENT ? 0 : err;
}

int cmd_host_show(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	cleanup_crypt struct crypt crypt = {};
	cleanup_hosts struct hosts all = {};
	struct tsw_host unused;
	__u32 id;
	size_t i;
	int err = w->given & W_NAME ? host_find(t, &w->name, &id, &unused) : 0;

	if (!err)
		err = hosts_read(t, &all);
	if (!err)
		err = crypt_read(t, &crypt);
	if (err)
		return err;
	out_list_begin(&cli->out);
	for (i = 0; !err && i < all.n; i++)
		if (!(w->given & W_NAME) || !strcmp(all.row[i].host.name, w->name.s))
			err = print(cli, &crypt, &all.row[i]);
	if (!err)
		out_list_end(&cli->out);
	return err;
}
