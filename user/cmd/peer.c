// SPDX-License-Identifier: GPL-2.0-only
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "object/spec.h"
#include "record/counters.h"
#include "record/peer_pair.h"
#include "record/tenant_find.h"

int fit_peer(struct words *w)
{
	return spec_check_peer(w->given);
}

struct item {
	struct tsw_peer_key key;
	const char *of;
	const char *with;
};

static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = strcmp(x->of, y->of);

	return order ?: strcmp(x->with, y->with);
}

static int print(struct cli *cli, const struct item *item)
{
	const struct side *side;
	json_t *prefixes = json_array(), *out;
	struct pair pair;
	__u16 port;
	__u8 proto;
	__u32 i;
	int err = pair_load(&cli->tsw, item->key.of, item->key.with, &pair);

	side = &pair.side[0];
	for (i = 0; !err && i < side->half.n_prefixes; i++)
		json_array_append_new(prefixes, json_string(prefix_text(&side->half.prefix[i])));
	if (err) {
		json_decref(prefixes);
		return err;
	}
	out = json_pack("{s:o, s:o, s:s?, s:o, s:o, s:b}", "tenant", json_text(item->of), "with",
			json_text(item->with), "proto",
			side->half.proto == IPPROTO_UDP	  ? "udp"
			: side->half.proto == IPPROTO_TCP ? "tcp"
							  : NULL,
			"port", side->half.port ? json_integer(side->half.port) : json_null(),
			"prefix", prefixes, "open",
			side->there && pair.side[1].there && peer_common(&pair, &proto, &port));
	if (side->half.flags & TSW_PEER_PENDING)
		json_object_set_new(out, "pending", json_true());
	out_item(&cli->out, out);
	return 0;
}

static int print_all(struct cli *cli, const struct tsw_peer_key *all, size_t n, __u32 of)
{
	cleanup_tenants struct tenants tenants = {};
	struct item *item = calloc(n + 1, sizeof(*item));
	size_t i, count = 0;
	int err = item ? tenants_read(&cli->tsw, &tenants) : fail_memory();

	for (i = 0; !err && i < n; i++) {
		const struct tsw_tenant *a = tenants_find(&tenants, all[i].of);
		const struct tsw_tenant *b = tenants_find(&tenants, all[i].with);

		if (!of || all[i].of == of)
			item[count++] = (struct item){all[i], a ? a->name : "", b ? b->name : ""};
	}
	if (!err) {
		qsort(item, count, sizeof(*item), compare);
		out_list_begin(&cli->out);
		for (i = 0; !err && i < count; i++)
			err = print(cli, &item[i]);
		if (!err)
			out_list_end(&cli->out);
	}
	free(item);
	return err;
}

int cmd_peer_show(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	struct tsw_peer_key *all = NULL;
	struct tsw_tenant unused;
	__u32 of = 0;
	size_t n = 0;
	int err = w->given & W_NAME ? tenant_find(t, &w->name, &of, &unused) : 0;

	if (!err)
		err = peer_list(t, of, &all, &n);
	if (!err)
		err = print_all(cli, all, n, of);
	free(all);
	return err;
}
