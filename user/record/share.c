// SPDX-License-Identifier: GPL-2.0-only
#include "base/lookup.h"
#include "base/text.h"
#include "record/share.h"

/*
 * By default a tenant's share leaves an eighth of the endpoints to others. On a small switch it is
 * at least 1024, which may be all.
 */
enum { OTHERS = 8, LEAST = 1024 };

__u32 share_endpoints(const struct tsw_config *config, __u32 given)
{
	const __u32 part = config->max_endpoints - config->max_endpoints / OTHERS;

	if (given)
		return given;
	if (part >= LEAST)
		return part;
	return config->max_endpoints < LEAST ? config->max_endpoints : LEAST;
}

__u32 share_addrs(const struct tsw_config *config, __u32 endpoints)
{
	if (endpoints >= config->max_endpoints)
		return maps_addrs(config->max_tenants, config->max_endpoints);
	return endpoints * TSW_ADDRS_PER_ENDPOINT;
}

int share_load(const struct tsw *t, __u32 tenant, struct tsw_share *share)
{
	return map_get_or_zero(&t->maps, MAP_SHARES, &tenant, share);
}

int share_store(const struct tsw *t, __u32 tenant, const struct tsw_share *share)
{
	return share->endpoints || share->addrs ? map_put(&t->maps, MAP_SHARES, &tenant, share)
						: map_del(&t->maps, MAP_SHARES, &tenant);
}

int share_put(const struct tsw *t, __u32 tenant, __u32 given)
{
	struct tsw_share share;
	int err = share_load(t, tenant, &share);

	if (err || share.endpoints == given)
		return err;
	share.endpoints = given;
	return share_store(t, tenant, &share);
}

int share_holders(const struct rows *addrs, const struct rows *gateways, __u32 *ids, size_t *n)
{
	struct lookup in = {};
	size_t i, at;
	int err = lookup_make(&in, gateways->keys, gateways->n, gateways->key_size,
			      gateways->key_size);

	*n = 0;
	for (i = 0; !err && i < addrs->n; i++) {
		const struct tsw_addr_owner *owner = row_value(addrs, i);
		const struct tsw_addr_key *key = row_key(addrs, i);
		const struct tsw_gateway *gw;

		at = lookup_find(&in, &key->tenant);
		gw = at == LOOKUP_NONE ? NULL : row_value(gateways, at);
		if (!gw || !mac_equal(&gw->mac, &owner->mac))
			ids[(*n)++] = key->tenant;
	}
	lookup_free(&in);
	return err;
}
