// SPDX-License-Identifier: GPL-2.0-only
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "kernel/netns.h"
#include "watch/names.h"

#define OLD (2 * SECOND_NS)

static int compare_endpoints(const void *a, const void *b)
{
	const struct endpoint_name *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	return memcmp(&x->mac, &y->mac, sizeof(x->mac));
}

static int read_endpoints(struct names *names)
{
	cleanup_rows struct rows rows = {};
	const struct tsw_endpoint_key *key;
	const struct tsw_endpoint *ep;
	size_t i;
	int err = map_rows(&names->t->maps, MAP_ENDPOINTS, &rows);

	if (err)
		return err;
	names->endpoint = calloc(rows.n + 1, sizeof(*names->endpoint));
	if (!names->endpoint)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		key = row_key(&rows, i);
		ep = row_value(&rows, i);
		names->endpoint[i] = (struct endpoint_name){key->tenant, ep->mac, key->name};
	}
	names->n_endpoints = rows.n;
	qsort(names->endpoint, rows.n, sizeof(*names->endpoint), compare_endpoints);
	return 0;
}

void names_free(struct names *names)
{
	tenants_free(&names->tenants);
	free(names->endpoint);
	hosts_free(&names->hosts);
	rows_free(&names->rules);
	*names = (struct names){.t = names->t};
}

int names_refresh(struct names *names)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	__u32 netns;
	int err;

	if (names->read_at && now - names->read_at < OLD)
		return 0;
	names_free(names);
	names->read_at = now;
	names->in_netns = !netns_inode(&netns) && netns == names->t->config.netns;
	err = tenants_read(names->t, &names->tenants);
	err = err ?: read_endpoints(names);
	err = err ?: hosts_read(names->t, &names->hosts);
	return err ?: map_rows(&names->t->maps, MAP_POLICY_RULES, &names->rules);
}

const char *name_of_tenant(const struct names *names, __u32 id)
{
	const struct tsw_tenant *tenant = id ? tenants_find(&names->tenants, id) : NULL;

	return tenant ? tenant->name : NULL;
}

const char *name_of_endpoint(const struct names *names, __u32 tenant, const struct tsw_mac *mac)
{
	const struct endpoint_name key = {.tenant = tenant, .mac = *mac};
	const struct endpoint_name *found =
		bsearch(&key, names->endpoint, names->n_endpoints, sizeof(key), compare_endpoints);

	return found ? found->name.s : NULL;
}

const char *name_of_port(const struct names *names, __u32 ifindex)
{
	struct tsw_port port;

	if (map_get(&names->t->maps, MAP_PORTS, &ifindex, &port))
		return NULL;
	return name_of_endpoint(names, port.tenant, &port.mac);
}

const char *name_of_host(const struct names *names, const struct tsw_addr *addr)
{
	size_t i;

	for (i = 0; i < names->hosts.n; i++)
		if (addr_equal(addr, &names->hosts.row[i].host.addr[addr_family(addr)]))
			return names->hosts.row[i].host.name;
	return NULL;
}

const char *name_of_rule(const struct names *names, __u32 tenant, __u32 number)
{
	const struct tsw_policy_name *name;
	const struct tsw_policy_rule *rule;
	size_t i;

	for (i = 0; number && i < names->rules.n; i++) {
		name = row_key(&names->rules, i);
		rule = row_value(&names->rules, i);
		if (name->tenant == tenant && rule->number == number)
			return name->name.s;
	}
	return NULL;
}

const char *name_of_home(const struct names *names, __u32 tenant, const struct tsw_mac *mac)
{
	const struct tsw_fdb_key key = {.tenant = tenant, .mac = *mac};
	const struct host_row *home;
	struct tsw_fdb fdb;

	if (map_get(&names->t->maps, MAP_FDB, &key, &fdb) || fdb.place != TSW_PLACE_HOST)
		return NULL;
	home = hosts_row(&names->hosts, fdb.id);
	return home ? home->host.name : NULL;
}

const char *name_of_device(const struct names *names, __u32 ifindex)
{
	static _Thread_local char name[IF_NAMESIZE + 8];

	if (!names->in_netns || !if_indextoname(ifindex, name))
		snprintf(name, sizeof(name), "if%u", ifindex);
	return name;
}
