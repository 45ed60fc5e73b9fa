// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/text.h"
#include "object/named.h"

int named_put(const struct tsw *t, const struct tsw_endpoint_key *key, const struct tsw_mac *mac)
{
	const struct tsw_fdb_key owner = {.tenant = key->tenant, .mac = *mac};
	struct tsw_tenant tenant;
	int err = map_get(&t->maps, MAP_TENANTS, &key->tenant, &tenant);

	if (err || !(tenant.flags & TSW_TENANT_ANSWERS))
		return err == -ENOENT ? 0 : err;
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

/* false: a killed command left the entry. */
static bool is_wanted(const struct tsw *t, const struct tsw_fdb_key *owner,
		      const struct tsw_name *name)
{
	const struct tsw_endpoint_key key = {.tenant = owner->tenant, .name = *name};
	struct tsw_tenant tenant;
	struct tsw_endpoint ep;

	return !map_get(&t->maps, MAP_TENANTS, &owner->tenant, &tenant) &&
	       tenant.flags & TSW_TENANT_ANSWERS && !map_get(&t->maps, MAP_ENDPOINTS, &key, &ep) &&
	       mac_equal(&ep.mac, &owner->mac);
}

int named_settle(const struct tsw *t, const struct rows *endpoints)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_NAMES, &rows);

	for (i = 0; !err && i < rows.n; i++)
		if (!is_wanted(t, row_key(&rows, i), row_value(&rows, i)))
			err = map_del_any(&t->maps, MAP_NAMES, row_key(&rows, i));
	for (i = 0; !err && i < endpoints->n; i++) {
		const struct tsw_endpoint *record = row_value(endpoints, i);

		err = named_put(t, row_key(endpoints, i), &record->mac);
	}
	return err;
}
