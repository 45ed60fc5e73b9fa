// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "record/count.h"
#include "record/share.h"

static int flush(const struct tsw *t, enum map map, __u32 *counted, const void *entry)
{
	const __u32 id = *counted;

	*counted = 0;
	return id ? map_put_any(&t->maps, map, &id, entry) : 0;
}

/* Writes the counts in memory, then reads those of ID into ENTRY. -ENOENT: ID does not exist. */
static int turn_to(const struct tsw *t, enum map map, __u32 id, __u32 *counted, void *entry)
{
	int err;

	if (*counted == id)
		return 0;
	err = flush(t, map, counted, entry);
	err = err ?: map_get_any(&t->maps, map, &id, entry);
	if (!err)
		*counted = id;
	return err;
}

int tenant_counted(const struct tsw *t, __u32 id, struct tsw_tenant *tenant,
		   struct tsw_share *share)
{
	int err;

	if (t->counted_tenant.id == id) {
		*tenant = t->counted_tenant.tenant;
		*share = t->counted_tenant.share;
		return 0;
	}
	err = map_get(&t->maps, MAP_TENANTS, &id, tenant);
	return err ?: share_load(t, id, share);
}

int tenant_count(struct tsw *t, __u32 id, int more, int addrs)
{
	struct tsw_tenant tenant;
	struct tsw_share share;
	int err = tenant_counted(t, id, &tenant, &share);

	if (!err && t->counted_tenant.id != id)
		err = tenant_flush(t);
	if (err)
		return err == -ENOENT ? 0 : err;
	tenant.endpoints += (__u32)more;
	share.addrs += (__u32)addrs;
	t->counted_tenant.id = id;
	t->counted_tenant.tenant = tenant;
	t->counted_tenant.share = share;
	return 0;
}

int tenant_flush(struct tsw *t)
{
	const __u32 id = t->counted_tenant.id;
	int err = flush(t, MAP_TENANTS, &t->counted_tenant.id, &t->counted_tenant.tenant);

	return err || !id ? err : share_store(t, id, &t->counted_tenant.share);
}

int host_count(struct tsw *t, __u32 id, int more)
{
	struct tsw_host *host = &t->counted_host.host;
	int err = turn_to(t, MAP_HOSTS, id, &t->counted_host.id, host);

	if (!err)
		host->endpoints += (__u32)more;
	return err == -ENOENT ? 0 : err;
}

int host_flush(struct tsw *t)
{
	return flush(t, MAP_HOSTS, &t->counted_host.id, &t->counted_host.host);
}
