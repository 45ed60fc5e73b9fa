// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "object/named.h"

int named_put(const struct tsw *t, const struct tsw_endpoint_key *key, const struct tsw_mac *mac)
{
	const struct tsw_fdb_key owner = {.tenant = key->tenant, .mac = *mac};
	struct tsw_tenant tenant;
	int err = map_get(&t->maps, MAP_TENANTS, &key->tenant, &tenant);

	if (err || !(tenant.flags & TSW_TENANT_DHCP))
		return err;
	return map_put(&t->maps, MAP_NAMES, &owner, &key->name);
}

static int each(const struct tsw *t, __u32 tenant, bool fill)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_ENDPOINTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_endpoint_key *key = row_key(&rows, i);
		const struct tsw_endpoint *ep = row_value(&rows, i);
		const struct tsw_fdb_key owner = {.tenant = tenant, .mac = ep->mac};

		if (key->tenant != tenant)
			continue;
		err = fill ? map_put(&t->maps, MAP_NAMES, &owner, &key->name)
			   : map_del(&t->maps, MAP_NAMES, &owner);
	}
	return err;
}

int named_fill(const struct tsw *t, __u32 tenant)
{
	return each(t, tenant, true);
}

int named_drop(const struct tsw *t, __u32 tenant)
{
	return each(t, tenant, false);
}
