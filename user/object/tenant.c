// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "object/endpoint.h"
#include "object/flood_list.h"
#include "object/flow_mode.h"
#include "object/gateway.h"
#include "object/limit.h"
#include "object/named.h"
#include "object/policy_mode.h"
#include "object/prefix.h"
#include "object/tenant.h"
#include "record/boot.h"
#include "record/count.h"
#include "record/domain.h"
#include "record/flow_list.h"
#include "record/relay.h"
#include "record/gateway_find.h"
#include "record/nets.h"
#include "record/policy_find.h"
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

static bool answers(const struct tsw_tenant_spec *spec)
{
	return spec->dhcp || spec->dns;
}

static int check_mtu(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	__u32 limit = 0;
	int err = spec->mtu ? tenant_mtu_limit(t, spec->encap, &limit) : 0;

	return err ?: rule_mtu(spec, limit);
}

/* Refuses an id of another tenant. OLD is the tenant's present id, or 0. */
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

/* ---- a tenant's parts ------------------------------------------------------------- */

/* A tenant that is made or changed. OLD is its present entry, zero for a new tenant. */
struct change {
	struct tsw *t;
	const struct tsw_tenant_spec *spec;
	const struct tsw_tenant *old;
};

static int load_limits(const struct tsw *t, struct tsw_tenant_spec *spec)
{
	return limits_load(t, spec->id, &limits_tenant, &spec->limits);
}

static int check_limits(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	return limits_check(t, spec->encap, spec->mtu, &spec->limits);
}

/* Writes the limits before the ports' flags tell programs to look them up. */
static int begin_limits(const struct change *c)
{
	const __u32 id = c->spec->id;
	struct tsw_limits had;
	int err = limits_load(c->t, id, &limits_tenant, &had);

	if (err || limits_equal(&had, &c->spec->limits))
		return err;
	err = limits_put(c->t, id, &limits_tenant, &c->spec->limits);
	if (!err && c->old->endpoints)
		err = limits_flag_ports(c->t, id);
	if (err)
		limits_put(c->t, id, &limits_tenant, &had);
	return err;
}

static int drop_limits(const struct tsw *t, __u32 id)
{
	return limits_drop(t, id, &limits_tenant);
}

static int load_share(const struct tsw *t, struct tsw_tenant_spec *spec)
{
	struct tsw_share share;
	int err = share_load(t, spec->id, &share);

	spec->max_endpoints = share.endpoints;
	return err;
}

static int begin_share(const struct change *c)
{
	return share_put(c->t, c->spec->id, c->spec->max_endpoints);
}

static int load_description(const struct tsw *t, struct tsw_tenant_spec *spec)
{
	return map_get_or_zero(&t->maps, MAP_DESCRIPTIONS, &spec->id, &spec->description);
}

static int begin_description(const struct change *c)
{
	return map_store(&c->t->maps, MAP_DESCRIPTIONS, &c->spec->id, &c->spec->description);
}

static int load_nets(const struct tsw *t, struct tsw_tenant_spec *spec)
{
	struct tsw_nets nets;
	int err = nets_load(t, spec->id, &nets);

	spec->net = nets_list(&nets);
	return err;
}

static int begin_nets(const struct change *c)
{
	return nets_put(c->t, c->spec->id, &c->spec->net);
}

/* Writes what the programs answer with before they look it up; end_answers() removes it after. */
static int begin_answers(const struct change *c)
{
	int err = 0;

	if (answers(c->spec) && !(c->old->flags & TSW_TENANT_ANSWERS) && c->old->endpoints)
		err = named_fill(c->t, c->spec->id);
	return err ?: domain_put(c->t, c->spec);
}

static int end_answers(const struct change *c)
{
	int err = domain_end(c->t, c->spec);

	if (!err && c->old->flags & TSW_TENANT_ANSWERS && !answers(c->spec))
		err = named_drop(c->t, c->spec->id);
	return err;
}

static int check_boot(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	(void)t;
	return boot_check(spec);
}

static int begin_boot(const struct change *c)
{
	return boot_put(c->t, c->spec);
}

static int check_relay(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	(void)t;
	return relay_check(spec);
}

static int begin_relay(const struct change *c)
{
	return relay_put(c->t, c->spec);
}

static int begin_policy(const struct change *c)
{
	return policy_mode_begin(c->t, c->spec, c->old->flags);
}

static int end_policy(const struct change *c)
{
	return policy_mode_end(c->t, c->spec);
}

static int load_flows(const struct tsw *t, struct tsw_tenant_spec *spec)
{
	struct tsw_flow_table flows;
	int err = flow_table_load(t, spec->id, &flows);

	spec->flow_entries = flows.entries;
	return err;
}

static int check_flows(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	return flows_check(t, spec);
}

static int begin_flows(const struct change *c)
{
	return flows_begin(c->t, c->spec, c->old->flags);
}

static int end_flows(const struct change *c)
{
	return flows_end(c->t, c->spec);
}

/*
 * The entries that a tenant has in other maps by its id. `begin` comes before its entry in
 * tsw_tenants is written. `end` comes after that, but only for a tenant that existed.
 */
static const struct part {
	enum map map; /* purged and settled here; 0: by `drop`, and by a settle of the part's own */
	int (*load)(const struct tsw *t, struct tsw_tenant_spec *spec);
	int (*check)(struct tsw *t, const struct tsw_tenant_spec *spec);
	int (*begin)(const struct change *c);
	int (*end)(const struct change *c);
	int (*drop)(const struct tsw *t, __u32 id); /* NULL: the entry of `map` is all */
	/* Tells whether a killed command left the entry: its tenant did not ask for it. */
	bool (*is_left)(const struct tsw_tenant *tenant, const void *value);
} parts[] = {
	{.map = MAP_FAIR,
	 .load = load_limits,
	 .check = check_limits,
	 .begin = begin_limits,
	 .drop = drop_limits},
	{.map = MAP_SHARES, .load = load_share, .begin = begin_share},
	{.map = MAP_DESCRIPTIONS, .load = load_description, .begin = begin_description},
	{.map = MAP_NETS, .load = load_nets, .check = prefixes_check_nets, .begin = begin_nets},
	{.map = MAP_DOMAINS,
	 .load = domain_load,
	 .check = domain_check,
	 .begin = begin_answers,
	 .end = end_answers,
	 .is_left = domain_is_left},
	{.map = MAP_BOOT, .load = boot_load, .check = check_boot, .begin = begin_boot},
	{.map = MAP_RELAYS, .load = relay_load, .check = check_relay, .begin = begin_relay},
	{.load = policy_load_mode, .begin = begin_policy, .end = end_policy, .drop = policy_purge},
	{.load = load_flows,
	 .check = check_flows,
	 .begin = begin_flows,
	 .end = end_flows,
	 .drop = flows_purge},
};

enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

int tenant_load(const struct tsw *t, __u32 id, const struct tsw_tenant *tenant,
		struct tsw_tenant_spec *spec)
{
	int err = 0, i;

	*spec = (struct tsw_tenant_spec){.id = id};
	tenant_to_spec(tenant, spec);
	for (i = 0; !err && i < PARTS; i++)
		err = parts[i].load(t, spec);
	return err;
}

static int parts_check(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	int err = 0, i;

	for (i = 0; !err && i < PARTS; i++)
		err = parts[i].check ? parts[i].check(t, spec) : 0;
	return err;
}

static int parts_begin(const struct change *c)
{
	int err = 0, i;

	for (i = 0; !err && i < PARTS; i++)
		err = parts[i].begin(c);
	return err;
}

static int parts_end(const struct change *c)
{
	int err = 0, i;

	for (i = 0; !err && i < PARTS; i++)
		err = parts[i].end ? parts[i].end(c) : 0;
	return err;
}

static int part_drop(const struct tsw *t, const struct part *part, __u32 id)
{
	return part->drop ? part->drop(t, id) : map_del_any(&t->maps, part->map, &id);
}

/* Drops the entries of deleted tenants. */
static int part_settle(const struct tsw *t, const struct part *part)
{
	cleanup_rows struct rows rows = {};
	struct tsw_tenant tenant;
	size_t i;
	int err = map_rows(&t->maps, part->map, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const __u32 *id = row_key(&rows, i);

		if (!*id) /* the world's share of fragments: bpf/gateway/fair_fragments.h */
			continue;
		err = map_get(&t->maps, MAP_TENANTS, id, &tenant);
		if (err == -ENOENT ||
		    (!err && part->is_left && part->is_left(&tenant, row_value(&rows, i))))
			err = part_drop(t, part, *id);
	}
	return err;
}

int tenant_settle(const struct tsw *t)
{
	int err = 0, i;

	for (i = 0; !err && i < PARTS; i++)
		err = parts[i].map ? part_settle(t, &parts[i]) : 0;
	return err;
}

/* ---- the whole tenant ------------------------------------------------------------- */

/* Writes the entry in tsw_tenants last, because it makes the id known to programs. */
static int make_entry(struct tsw *t, const struct tsw_tenant_spec *spec, __u32 flags)
{
	const struct tsw_tenant none = {};
	struct tsw_tenant tenant = {.flags = flags};
	int err = flood_lists_make(t, spec->id);

	tenant_from_spec(spec, &tenant);
	err = err ?: parts_begin(&(struct change){t, spec, &none});
	err = err ?: map_zero(&t->maps, MAP_STATS, &spec->id);
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

/* The entry in tsw_tenants goes last: after a kill before that, `del` can be repeated. */
static int purge_entry(struct tsw *t, __u32 id)
{
	int err = flood_lists_remove(t, id), i;

	err = err ?: tenant_drop_counters(t, id);
	for (i = 0; !err && i < PARTS; i++)
		err = part_drop(t, &parts[i], id);
	return err ?: map_del(&t->maps, MAP_TENANTS, &id);
}

/* Lets the id rest. This comes before the tenant goes, so that a kill in between loses no note. */
static int give_up_id(const struct tsw *t, __u32 id)
{
	const struct tsw_addr_key itself = {.tenant = id};

	return addr_give_up(t, &itself);
}

/* Removes a half-made tenant, and keeps the first error. */
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
	err = err ?: check_mtu(t, spec);
	err = err ?: parts_check(t, spec);
	if (!err && t->totals.tenants >= t->config.max_tenants)
		err = fail(ENOSPC, "the switch is full: max-tenants is %u", t->config.max_tenants);
	if (err)
		return err;
	err = map_put(&t->maps, MAP_TENANT_IDS, &spec->name, &spec->id);
	err = err ?: make_entry(t, spec, 0);
	if (err)
		return undo_make(t, spec->id, &spec->name);
	t->totals.tenants++;
	return 0;
}

/* Reads what refers to the tenant, except its policy. */
static int read_uses(const struct tsw *t, __u32 id, const struct tsw_tenant *tenant,
		     struct tsw_gateway *gw, struct rule_uses *uses)
{
	int err = gateway_get(t, id, gw);

	*uses = (struct rule_uses){.endpoints = tenant->endpoints, .gateway = !err};
	return err == -ENOENT ? 0 : err;
}

/* The id may change only while nothing refers to it. The counters of the old id are lost. */
static int renumber(struct tsw *t, __u32 old_id, const struct tsw_tenant *old,
		    const struct tsw_tenant_spec *spec)
{
	struct tsw_gateway unused;
	struct rule_uses uses;
	int err = read_uses(t, old_id, old, &unused, &uses);

	err = err ?: policy_is_there(t, old_id, &uses.policy);
	err = err ?: rule_renumber(old_id, &uses);
	err = err ?: give_up_id(t, old_id);
	err = err ?: make_entry(t, spec, old->flags);
	err = err ?: map_put(&t->maps, MAP_TENANT_IDS, &spec->name, &spec->id);
	if (err)
		return undo_make(t, spec->id, NULL);
	if (purge_entry(t, old_id)) /* no name leads there now */
		t->torn = true;
	return 0;
}

int tenant_replace(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	struct tsw_tenant old, want;
	const struct change change = {t, spec, &old};
	__u32 old_id;
	int err = tenant_lookup(t, &spec->name, &old_id, &old);

	if (err == -ENOENT)
		return tenant_add(t, spec);
	err = err ?: check_id(t, spec->id, old_id);
	/* An MTU that stays is not checked: the underlay's may have shrunk since it was set. */
	if (!err && (spec->mtu != old.mtu || spec->encap != old.encap))
		err = check_mtu(t, spec);
	err = err ?: parts_check(t, spec);
	if (err)
		return err;
	if (spec->id != old_id)
		return renumber(t, old_id, &old, spec);
	want = old;
	tenant_from_spec(spec, &want);
	err = parts_begin(&change);
	if (!err && memcmp(&want, &old, sizeof(want)))
		err = map_put(&t->maps, MAP_TENANTS, &spec->id, &want);
	err = err ?: parts_end(&change);
	return err ? mark_torn(t) : 0;
}

int tenant_del(struct tsw *t, const struct tsw_name *name, bool force)
{
	struct tsw_tenant tenant;
	struct tsw_gateway gw;
	struct rule_uses uses;
	__u32 id;
	int err = tenant_find(t, name, &id, &tenant);

	err = err ?: read_uses(t, id, &tenant, &gw, &uses);
	if (!err && !force)
		err = rule_tenant_del(&uses);
	if (!err && uses.gateway)
		err = gateway_del(t, id, &gw, true);
	if (!err && force)
		err = endpoint_del_all(t, id);
	err = err ?: tenant_flush(t);
	err = err ?: give_up_id(t, id);
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
