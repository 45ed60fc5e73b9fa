// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "endpoint.h"
#include "err.h"
#include "group.h"
#include "link.h"
#include "tenant.h"
#include "text.h"
#include "tunnel.h"

static struct tsw_name name_of(const struct tsw_tenant *tenant)
{
	struct tsw_name name;

	memcpy(name.s, tenant->name, sizeof(name.s));
	return name;
}

/* A tenant is there when name and id lead to each other; all else is a killed command's. */
int tenant_lookup(const struct tsw *t, const struct tsw_name *name, __u32 *id,
		  struct tsw_tenant *tenant)
{
	int err = map_get(&t->maps, MAP_TENANT_IDS, name, id);

	if (!err)
		err = map_get(&t->maps, MAP_TENANTS, id, tenant);
	if (!err && strcmp(tenant->name, name->s))
		err = -ENOENT;
	return err;
}

int tenant_find(const struct tsw *t, const struct tsw_name *name, __u32 *id,
		struct tsw_tenant *tenant)
{
	int err = tenant_lookup(t, name, id, tenant);

	return err == -ENOENT ? fail(ENOENT, "there is no tenant %s", quoted(name->s)) : err;
}

/* Indices mean nothing in another namespace, and the tunnel device tells which is ours. */
bool underlay_find(const struct tsw *t, struct link *link)
{
	return tunnel_is_of(t->config.tunnel, t->instance) &&
	       !link_by_index(t->config.underlay, link);
}

__u32 tenant_mtu_limit(const struct tsw *t)
{
	struct link link;

	if (!underlay_find(t, &link) || link.mtu <= TSW_VXLAN4_OVERHEAD)
		return 0;
	return link.mtu - TSW_VXLAN4_OVERHEAD;
}

static int check_mtu(const struct tsw *t, __u32 mtu)
{
	__u32 limit = mtu ? tenant_mtu_limit(t) : 0;

	if (!limit || mtu <= limit)
		return 0;
	return fail(ERANGE, "mtu %u is more than the underlay allows, which is %u", mtu, limit);
}

/* OLD is the tenant's own id where it has one. */
static int check_id(const struct tsw *t, __u32 id, __u32 old)
{
	struct tsw_tenant other;
	__u32 its_id;
	struct tsw_name name;
	int err = map_get(&t->maps, MAP_TENANTS, &id, &other);

	if (err == -ENOENT || (!err && id == old))
		return 0;
	if (err)
		return err;
	name = name_of(&other);
	if (tenant_lookup(t, &name, &its_id, &other) || its_id != id)
		return 0;
	return fail(EEXIST, "id %u is already that of tenant %s", id, quoted(other.name));
}

/* The tenant's own entry is last: with it programs know the id. */
static int make(struct tsw *t, __u32 id, const struct tsw_tenant *tenant)
{
	const struct tsw_name name = name_of(tenant);
	int err = map_put(&t->maps, MAP_TENANT_IDS, &name, &id);

	if (!err)
		err = groups_make(t, id);
	if (!err)
		err = map_zero(&t->maps, MAP_STATS, &id);
	if (!err)
		err = map_put(&t->maps, MAP_TENANTS, &id, tenant);
	if (!err)
		t->totals.tenants++;
	return err;
}

static int drop_counters(const struct tsw *t, __u32 id)
{
	struct tsw_drop_key key = {.tenant = id};
	int err = map_del(&t->maps, MAP_STATS, &id);

	for (key.reason = 1; !err && key.reason < TSW_DROP_MAX; key.reason++)
		for (key.direction = 0; !err && key.direction < TSW_DIR_MAX; key.direction++)
			err = map_del(&t->maps, MAP_DROPS, &key);
	return err;
}

/* Killed before its own entry goes, the tenant is still there and `del` can be given again. */
static int purge(struct tsw *t, __u32 id, const struct tsw_name *name)
{
	int err = groups_remove(t, id);

	if (!err)
		err = drop_counters(t, id);
	if (!err)
		err = map_del(&t->maps, MAP_TENANTS, &id);
	if (!err)
		err = map_del(&t->maps, MAP_TENANT_IDS, name);
	if (!err && t->totals.tenants)
		t->totals.tenants--;
	if (err)
		t->torn = true;
	return err;
}

/* Takes back what make() did, and keeps the message of why. */
static int undo_make(struct tsw *t, __u32 id, const struct tsw_tenant *tenant, int err)
{
	const struct tsw_name name = name_of(tenant);
	const struct failure why = *failure();

	t->totals.tenants++;
	purge(t, id, &name);
	return fail(err, "%s", why.text);
}

int tenant_add(struct tsw *t, __u32 id, const struct tsw_tenant *tenant)
{
	const struct tsw_name name = name_of(tenant);
	struct tsw_tenant old;
	__u32 old_id;
	int err = tenant_lookup(t, &name, &old_id, &old);

	if (!err)
		return fail(EEXIST, "tenant %s exists, with id %u", quoted(name.s), old_id);
	if (err != -ENOENT)
		return err;
	err = check_id(t, id, 0);
	if (!err)
		err = check_mtu(t, tenant->mtu);
	if (!err && t->totals.tenants >= t->config.max_tenants)
		err = fail(ENOSPC, "the switch is full: max-tenants is %u", t->config.max_tenants);
	if (err)
		return err;
	err = make(t, id, tenant);
	return err ? undo_make(t, id, tenant, err) : 0;
}

/* Without endpoints nothing refers to the id, so it may change; old counters go. */
static int renumber(struct tsw *t, __u32 old_id, __u32 id, const struct tsw_tenant *old,
		    const struct tsw_tenant *tenant)
{
	const struct tsw_name name = name_of(tenant);
	int err;

	if (old->endpoints)
		return fail(EBUSY, "the tenant has endpoints, %u, so its id stays %u",
			    old->endpoints, old_id);
	err = purge(t, old_id, &name);
	if (!err)
		err = make(t, id, tenant);
	if (err) {
		err = undo_make(t, id, tenant, err);
		make(t, old_id, old);
	}
	return err;
}

int tenant_replace(struct tsw *t, __u32 id, const struct tsw_tenant *tenant)
{
	const struct tsw_name name = name_of(tenant);
	struct tsw_tenant old, want = *tenant;
	__u32 old_id;
	int err = tenant_lookup(t, &name, &old_id, &old);

	if (err == -ENOENT)
		return tenant_add(t, id, tenant);
	if (!err)
		err = check_id(t, id, old_id);
	if (!err)
		err = check_mtu(t, tenant->mtu);
	if (err)
		return err;
	if (id != old_id)
		return renumber(t, old_id, id, &old, tenant);
	want.endpoints = old.endpoints;
	return memcmp(&want, &old, sizeof(want)) ? map_put(&t->maps, MAP_TENANTS, &id, &want) : 0;
}

int tenant_del(struct tsw *t, const struct tsw_name *name, bool force)
{
	struct tsw_tenant tenant;
	__u32 id;
	int err = tenant_find(t, name, &id, &tenant);

	if (err)
		return err;
	if (tenant.endpoints && !force)
		return fail(EBUSY, "the tenant still has endpoints, %u; force on takes them along",
			    tenant.endpoints);
	err = force ? endpoint_del_all(t, id) : 0;
	return err ? err : purge(t, id, name);
}

int tenant_count(const struct tsw *t, __u32 id, int more)
{
	struct tsw_tenant tenant;
	int err = map_get(&t->maps, MAP_TENANTS, &id, &tenant);

	if (err)
		return err == -ENOENT ? 0 : err;
	tenant.endpoints += (__u32)more;
	return map_put(&t->maps, MAP_TENANTS, &id, &tenant);
}
