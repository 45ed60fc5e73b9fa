// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "check/owners.h"

/* Also compares a key with an owner, because the key is an owner's first member. */
static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tsw_fdb_key));
}

static void add_endpoints(const struct rows *rows, struct owners *owners)
{
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const struct tsw_endpoint_key *key = row_key(rows, i);
		const struct tsw_endpoint *record = row_value(rows, i);

		owners->all[owners->n++] =
			(struct owner){.key = {.tenant = key->tenant, .mac = record->mac},
				       .name = key,
				       .record = record};
	}
}

static void add_gateways(const struct rows *rows, struct owners *owners)
{
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const struct tsw_gateway *gw = row_value(rows, i);

		owners->all[owners->n++] = (struct owner){
			.key = {.tenant = *(const __u32 *)row_key(rows, i), .mac = gw->mac},
			.gw = gw};
	}
}

int owners_make(const struct snapshot *s, struct owners *owners)
{
	const struct rows *endpoints = &s->rows[MAP_ENDPOINTS], *gateways = &s->rows[MAP_GATEWAYS];
	const struct rows *addrs = &s->rows[MAP_ADDRS], *prefixes = &s->rows[MAP_PREFIXES];
	struct owner *owner;
	size_t i;

	*owners = (struct owners){calloc(endpoints->n + gateways->n + 1, sizeof(struct owner)), 0};
	if (!owners->all)
		return fail_memory();
	add_endpoints(endpoints, owners);
	add_gateways(gateways, owners);
	qsort(owners->all, owners->n, sizeof(*owners->all), compare);
	for (i = 0; i < addrs->n; i++) {
		const struct tsw_addr_key *key = row_key(addrs, i);
		const struct tsw_addr_owner *value = row_value(addrs, i);

		owner = owners_find(owners, key->tenant, &value->mac);
		if (owner && value->kind != TSW_ADDR_VIP)
			owner->addrs++;
	}
	for (i = 0; i < prefixes->n; i++) {
		const struct tsw_prefix_key *key = row_key(prefixes, i);
		const struct tsw_behind *value = row_value(prefixes, i);

		owner = owners_find(owners, key->of.tenant, &value->mac);
		if (owner)
			owner->prefixes++;
	}
	return 0;
}

void owners_free(struct owners *owners)
{
	free(owners->all);
	owners->all = NULL;
}

struct owner *owners_find(const struct owners *owners, __u32 tenant, const struct tsw_mac *mac)
{
	const struct tsw_fdb_key key = {.tenant = tenant, .mac = *mac};

	return bsearch(&key, owners->all, owners->n, sizeof(*owners->all), compare);
}
