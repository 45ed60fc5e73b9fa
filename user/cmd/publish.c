// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "object/publish.h"
#include "record/counters.h"
#include "record/gateway_find.h"
#include "record/tenant_find.h"

/* Endpoints by what their addresses' owners are known by. */
struct owner {
	struct tsw_fdb_key key;
	struct tsw_name name;
};

struct owners {
	struct owner *all;
	size_t n;
};

static int compare_owners(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tsw_fdb_key));
}

static int read_owners(const struct tsw *t, struct owners *owners)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_ENDPOINTS, &rows);

	if (err)
		return err;
	owners->all = calloc(rows.n + 1, sizeof(*owners->all));
	if (!owners->all)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		const struct tsw_endpoint_key *key = row_key(&rows, i);
		const struct tsw_endpoint *record = row_value(&rows, i);

		owners->all[i] =
			(struct owner){{.tenant = key->tenant, .mac = record->mac}, key->name};
	}
	owners->n = rows.n;
	qsort(owners->all, owners->n, sizeof(*owners->all), compare_owners);
	return 0;
}

/* null: the endpoint is gone, or has the address no more. */
static json_t *endpoint_json(const struct tsw *t, const struct owners *owners,
			     const struct tsw_publish *to)
{
	const struct tsw_addr_key at = {.tenant = to->tenant, .addr = to->addr};
	struct tsw_addr_owner its;
	struct owner key = {.key.tenant = to->tenant}, *found;

	if (map_get(&t->maps, MAP_ADDRS, &at, &its))
		return json_null();
	key.key.mac = its.mac;
	found = bsearch(&key, owners->all, owners->n, sizeof(key), compare_owners);
	return found ? json_text(found->name.s) : json_null();
}

static int print(struct cli *cli, const struct publish *p, const char *tenant,
		 const struct owners *owners)
{
	struct tsw *t = &cli->tsw;
	struct tsw_gateway gw = {.host = ~0U};
	json_t *item;
	int err = gateway_get(t, p->to.tenant, &gw);

	if (err && err != -ENOENT)
		return err;
	item = json_pack("{s:o, s:s, s:i, s:s, s:b, s:o}", "tenant", json_text(tenant), "proto",
			 proto_text(p->key.proto), "port", (int)p->key.port, "to",
			 target_text(&p->to.addr, p->to.port), "active",
			 publish_is_active(&gw, &p->to), "endpoint",
			 endpoint_json(t, owners, &p->to));
	if (p->to.flags & TSW_PUBLISH_PENDING)
		json_object_set_new(item, "pending", json_true());
	out_item(&cli->out, item);
	return 0;
}

/* By tenant's name, protocol, port and family. */
struct item {
	const char *tenant;
	const struct publish *p;
};

static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	const struct tsw_publish_key *k = &x->p->key, *l = &y->p->key;
	int order = strcmp(x->tenant, y->tenant);

	if (!order)
		order = (int)k->proto - (int)l->proto;
	if (!order)
		order = (int)k->port - (int)l->port;
	return order ?: (int)k->family - (int)l->family;
}

static int print_all(struct cli *cli, const struct publish *all, size_t n)
{
	struct tsw *t = &cli->tsw;
	cleanup_tenants struct tenants tenants = {};
	struct item *item = calloc(n + 1, sizeof(*item));
	struct owners owners = {};
	size_t i;
	int err = item ? tenants_read(t, &tenants) : fail_memory();

	if (!err)
		err = read_owners(t, &owners);
	for (i = 0; !err && i < n; i++) {
		const struct tsw_tenant *tenant = tenants_find(&tenants, all[i].to.tenant);

		item[i] = (struct item){tenant ? tenant->name : "", &all[i]};
	}
	if (!err) {
		qsort(item, n, sizeof(*item), compare);
		out_list_begin(&cli->out);
		for (i = 0; !err && i < n; i++)
			err = print(cli, item[i].p, item[i].tenant, &owners);
		if (!err)
			out_list_end(&cli->out);
	}
	free(owners.all);
	free(item);
	return err;
}

int cmd_publish_show(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	struct publish *all = NULL;
	struct tsw_tenant unused;
	__u32 tenant = 0;
	size_t n = 0;
	int err = w->given & W_NAME ? tenant_find(t, &w->name, &tenant, &unused) : 0;

	if (!err)
		err = publish_list(t, tenant, &all, &n);
	if (!err)
		err = print_all(cli, all, n);
	free(all);
	return err;
}
