// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "record/count.h"
#include "record/description.h"
#include "record/domain.h"
#include "object/endpoint.h"
#include "base/err.h"
#include "object/flow_mode.h"
#include "object/gateway.h"
#include "object/group.h"
#include "object/limit.h"
#include "object/named.h"
#include "object/policy_mode.h"
#include "object/tenant.h"
#include "base/text.h"
#include "record/gateway_find.h"
#include "record/nets.h"
#include "record/share.h"
#include "record/tenant_find.h"
#include "rules/rules.h"
#include "wire/mtu.h"

static struct tsw_name name_of(const struct tsw_tenant *tenant)
{
	struct tsw_name name;

	memcpy(name.s, tenant->name, sizeof(name.s));
	return name;
}

static int check_mtu(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	__u32 limit = 0;
	int err = spec->mtu ? tenant_mtu_limit(t, spec->encap, &limit) : 0;

	return err ?: rule_mtu(spec, limit);
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
	return rule_id_taken(id, other.name);
}

/* The tenant's own entry is last: with it programs know the id. */
static int make_entry(struct tsw *t, const struct tsw_tenant_spec *spec, __u32 flags)
{
	struct tsw_tenant tenant = {.flags = flags};
	int err = groups_make(t, spec->id);

	tenant_from_spec(spec, &tenant);
	if (!err)
		err = limits_put(t, spec->id, &limits_tenant, &spec->limits);
	if (!err)
		err = share_put(t, spec->id, spec->max_endpoints);
	if (!err)
		err = description_put(t, spec->id, &spec->description);
	if (!err)
		err = nets_put(t, spec->id, &spec->net);
	if (!err)
		err = domain_put(t, spec);
	if (!err)
		err = policy_mode_begin(t, spec, 0);
	if (!err)
		err = flows_begin(t, spec, 0);
	if (!err)
		err = map_zero(&t->maps, MAP_STATS, &spec->id);
	return err ?: map_put(&t->maps, MAP_TENANTS, &spec->id, &tenant);
}

int tenant_drop_counters(const struct tsw *t, __u32 id)
{
	struct tsw_drop_key key = {.tenant = id};
	int err = map_del(&t->maps, MAP_STATS, &id);

	for (key.reason = 1; !err && key.reason < TSW_DROP_MAX; key.reason++)
		for (key.direction = 0; !err && key.direction < TSW_DIR_MAX; key.direction++)
			err = map_del(&t->maps, MAP_DROPS, &key);
	return err;
}

/* Killed before its own entry goes, the tenant is still there and `del` can be given again. */
static int purge_entry(struct tsw *t, __u32 id)
{
	int err = groups_remove(t, id);

	if (!err)
		err = tenant_drop_counters(t, id);
	if (!err)
		err = limits_drop(t, id, &limits_tenant);
	if (!err)
		err = map_del(&t->maps, MAP_SHARES, &id);
	if (!err)
		err = map_del(&t->maps, MAP_DESCRIPTIONS, &id);
	if (!err)
		err = map_del(&t->maps, MAP_NETS, &id);
	if (!err)
		err = map_del(&t->maps, MAP_DOMAINS, &id);
	if (!err)
		err = policy_purge(t, id);
	if (!err)
		err = flows_purge(t, id);
	return err ?: map_del(&t->maps, MAP_TENANTS, &id);
}

/* Before it goes, for a kill in between. */
static int give_up_id(const struct tsw *t, __u32 id)
{
	const struct tsw_addr_key itself = {.tenant = id};

	return addr_give_up(t, &itself);
}

/* Takes back what was half made, and keeps the message of why. */
static int undo_make(struct tsw *t, __u32 id, const struct tsw_name *name)
{
	const struct failure why = *failure();

	purge_entry(t, id);
	if (name)
		map_del(&t->maps, MAP_TENANT_IDS, name);
	return fail_again(&why);
}

int tenant_add(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	struct tsw_tenant old;
	__u32 old_id;
	int err = tenant_lookup(t, &spec->name, &old_id, &old);

	if (!err)
		return rule_tenant_exists(spec->name.s, old_id);
	if (err != -ENOENT)
		return err;
	err = check_id(t, spec->id, 0);
	if (!err)
		err = check_mtu(t, spec);
	if (!err)
		err = limits_check(t, spec->encap, spec->mtu, &spec->limits);
	if (!err)
		err = flows_check(t, spec);
	if (!err && t->totals.tenants >= t->config.max_tenants)
		err = fail(ENOSPC, "the switch is full: max-tenants is %u", t->config.max_tenants);
	if (err)
		return err;
	err = map_put(&t->maps, MAP_TENANT_IDS, &spec->name, &spec->id);
	if (!err)
		err = make_entry(t, spec, 0);
	if (err)
		return undo_make(t, spec->id, &spec->name);
	t->totals.tenants++;
	return 0;
}

/* Without `policy`. */
static int read_uses(const struct tsw *t, __u32 id, const struct tsw_tenant *tenant,
		     struct tsw_gateway *gw, struct rule_uses *uses)
{
	int err = gateway_get(t, id, gw);

	*uses = (struct rule_uses){.endpoints = tenant->endpoints, .gateway = !err};
	return err == -ENOENT ? 0 : err;
}

/* Without endpoints and gateway nothing refers to the id, so it may change; old counters go. */
static int renumber(struct tsw *t, __u32 old_id, const struct tsw_tenant *old,
		    const struct tsw_tenant_spec *spec)
{
	struct tsw_gateway unused;
	struct rule_uses uses;
	int err = read_uses(t, old_id, old, &unused, &uses);

	if (!err)
		err = policy_is_there(t, old_id, &uses.policy);
	if (!err)
		err = rule_renumber(old_id, &uses);
	if (!err)
		err = give_up_id(t, old_id);
	if (!err)
		err = make_entry(t, spec, old->flags);
	if (!err)
		err = map_put(&t->maps, MAP_TENANT_IDS, &spec->name, &spec->id);
	if (err)
		return undo_make(t, spec->id, NULL);
	if (purge_entry(t, old_id)) /* no name leads there now */
		t->torn = true;
	return 0;
}

/* The limits first: whoever is told by its port that there are any must find them. */
static int change_limits(struct tsw *t, __u32 id, const struct tsw_tenant *old,
			 const struct tsw_limits *want)
{
	struct tsw_limits had;
	int err = limits_load(t, id, &limits_tenant, &had);

	if (err || limits_equal(&had, want))
		return err;
	err = limits_put(t, id, &limits_tenant, want);
	if (!err && old->endpoints)
		err = limits_flag_ports(t, id);
	if (!err)
		return 0;
	limits_put(t, id, &limits_tenant, &had);
	return mark_torn(t);
}

/* What the programs answer of: it is there before they look for it, and goes after. */
static int answers_begin(const struct tsw *t, const struct tsw_tenant_spec *spec,
			 const struct tsw_tenant *old, const struct tsw_tenant *want)
{
	int err = 0;

	if (want->flags & TSW_TENANT_ANSWERS && !(old->flags & TSW_TENANT_ANSWERS))
		err = named_fill(t, spec->id);
	return err ?: domain_put(t, spec);
}

static int answers_end(const struct tsw *t, const struct tsw_tenant_spec *spec,
		       const struct tsw_tenant *old, const struct tsw_tenant *want)
{
	int err = domain_end(t, spec);

	if (!err && old->flags & TSW_TENANT_ANSWERS && !(want->flags & TSW_TENANT_ANSWERS))
		err = named_drop(t, spec->id);
	return err;
}

/* With its policy and its flows, which are half-way on or off where that fails. */
static int change_entry(struct tsw *t, const struct tsw_tenant_spec *spec,
			const struct tsw_tenant *old, const struct tsw_tenant *want)
{
	int err = policy_mode_begin(t, spec, old->flags);

	if (!err)
		err = flows_begin(t, spec, old->flags);
	if (!err && memcmp(want, old, sizeof(*want)))
		err = map_put(&t->maps, MAP_TENANTS, &spec->id, want);
	if (!err)
		err = policy_mode_end(t, spec);
	if (!err)
		err = flows_end(t, spec);
	return err ? mark_torn(t) : 0;
}

int tenant_replace(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	struct tsw_tenant old, want;
	__u32 old_id;
	int err = tenant_lookup(t, &spec->name, &old_id, &old);

	if (err == -ENOENT)
		return tenant_add(t, spec);
	if (!err)
		err = check_id(t, spec->id, old_id);
	/* The underlay's may have shrunk since. */
	if (!err && (spec->mtu != old.mtu || spec->encap != old.encap))
		err = check_mtu(t, spec);
	if (!err)
		err = limits_check(t, spec->encap, spec->mtu, &spec->limits);
	if (!err)
		err = flows_check(t, spec);
	if (err)
		return err;
	if (spec->id != old_id)
		return renumber(t, old_id, &old, spec);
	want = old;
	tenant_from_spec(spec, &want);
	err = share_put(t, spec->id, spec->max_endpoints);
	if (!err)
		err = change_limits(t, spec->id, &old, &spec->limits);
	if (!err)
		err = description_put(t, spec->id, &spec->description);
	if (!err)
		err = nets_put(t, spec->id, &spec->net);
	if (!err)
		err = answers_begin(t, spec, &old, &want);
	if (!err)
		err = change_entry(t, spec, &old, &want);
	return err ?: answers_end(t, spec, &old, &want);
}

int tenant_del(struct tsw *t, const struct tsw_name *name, bool force)
{
	struct tsw_tenant tenant;
	struct tsw_gateway gw;
	struct rule_uses uses;
	__u32 id;
	int err = tenant_find(t, name, &id, &tenant);

	if (!err)
		err = read_uses(t, id, &tenant, &gw, &uses);
	if (!err && !force)
		err = rule_tenant_del(&uses);
	if (!err && uses.gateway)
		err = gateway_del(t, id, &gw, true);
	if (!err && force)
		err = endpoint_del_all(t, id);
	if (!err)
		err = tenant_flush(t);
	if (!err)
		err = give_up_id(t, id);
	if (err)
		return err;
	if (purge_entry(t, id))
		return mark_torn(t);
	if (map_del(&t->maps, MAP_TENANT_IDS, name)) /* it leads nowhere now */
		t->torn = true;
	if (t->totals.tenants)
		t->totals.tenants--;
	return 0;
}
