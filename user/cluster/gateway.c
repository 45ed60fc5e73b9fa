// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/text.h"
#include "cluster/change.h"
#include "cluster/claims.h"
#include "cluster/gateway.h"
#include "cluster/hosts.h"
#include "cluster/peers.h"
#include "cluster/routed.h"
#include "cluster/tenant.h"
#include "record/choice.h"
#include "record/fields.h"
#include "record/gateway_find.h"

struct put {
	struct holder holder; /* first, for claims_refuse() */
	const struct tsw_name *tenant;
	const struct tsw_gateway_spec *spec;
	__u64 given;
	enum spec_how how;
	bool force;

	/* Of one try: */
	struct tsw_tenant_spec its;
	__s64 vni;			   /* revision of the claim on the tenant's id */
	struct tsw_gateway_spec old, want; /* before and after the change */
	__s64 modified;			   /* revision of OLD's record; 0: it does not exist */
	struct holding have, hold;	   /* of OLD and of WANT */
};

static const struct tsw_mac no_mac;

/* ---- the gateway as it is --------------------------------------------------------- */

static int read_record(const char *key, const char *value, struct tsw_gateway_spec *spec)
{
	*spec = (struct tsw_gateway_spec)TSW_GATEWAY_DEFAULTS;
	return record_read_at(OBJECT_GATEWAY, key, value, spec);
}

/* Reads the gateway, which need not exist. */
static int load(const struct records *r, struct put *p, bool again)
{
	cleanup_look struct look look = {};
	int err = cluster_tenant_get(r, p->tenant, &p->its, NULL);

	look_at(&look, r, "vni/%u", p->its.id);
	look_at(&look, r, "gateway/%s", p->tenant->s);
	err = err ?: look_read(r, &look);
	err = err ?: cluster_tenant_owns(&look.at[0], p->tenant, again);
	if (err)
		return err;
	p->vni = look.at[0].modified;
	p->modified = look.at[1].modified;
	if (!look.at[1].value)
		return 0;
	err = read_record(look.at[1].key, look.at[1].value, &p->old);
	if (mac_equal(&p->old.mac, &no_mac)) /* hosts do the same */
		p->old.mac = gateway_mac(p->its.id);
	return err;
}

int cluster_gateway_get(const struct records *r, const struct tsw_name *tenant,
			struct tsw_gateway_spec *spec, __s64 *modified)
{
	struct put p = {.tenant = tenant};
	int err = load(r, &p, true);

	if (!err && !p.modified)
		err = rule_no_gateway(tenant->s);
	*spec = p.old;
	if (modified)
		*modified = p.modified;
	return err;
}

/* ---- the gateway as asked for ----------------------------------------------------- */

static int prepare(const struct records *r, struct put *p, bool again)
{
	__u64 given;
	int err = load(r, p, again);

	if (!err && !p->modified && p->how == SPEC_SET)
		err = rule_no_gateway(p->tenant->s);
	if (!err && p->modified && p->how == SPEC_ADD)
		err = rule_has_gateway(p->tenant->s, &p->old.ip.at[0]);
	if (err)
		return err;
	p->want = p->how == SPEC_SET ? p->old : gateway_defaults(p->its.id);
	given = p->given & GATEWAY_IN_FILE;
	if (given & FIELD(GATEWAY_HOST))
		given |= GATEWAY_HOSTS;
	fields_copy(gateway_fields, given, p->spec, &p->want);
	if (!strcmp(p->want.host.s, NO_HOST))
		p->want.host = (struct tsw_name){};
	return gateway_agrees(&p->want);
}

static void hold(const struct tsw_gateway_spec *spec, struct holding *holding)
{
	__u32 i;

	*holding = (struct holding){.mac = spec->mac, .ip.n = spec->ip.n};
	for (i = 0; i < spec->ip.n; i++)
		holding->ip.at[i] = spec->ip.at[i].addr;
}

static void make_holder(struct put *p, bool del)
{
	hold(&p->old, &p->have);
	hold(&p->want, &p->hold);
	p->holder = (struct holder){.id = p->its.id,
				    .tenant = p->tenant->s,
				    .owner = CLAIMS_GATEWAY,
				    .have = p->modified ? &p->have : NULL,
				    .want = del ? NULL : &p->hold};
}

/* ---- the change ------------------------------------------------------------------- */

/* The tenant must keep its id. */
static void add_vni(const struct records *r, const struct put *p, struct change *c)
{
	record_check(r, c, p->vni, "vni/%u", p->its.id);
	record_pulse(r, c, "gateway/");
}

static int need_hosts(struct records *r, const struct tsw_gateway_spec *want, struct change *c)
{
	int err = *want->host.s ? cluster_need_host(r, c, want->host.s) : 0;
	__u32 i;

	for (i = 0; !err && i < want->backup.n; i++)
		err = cluster_need_host(r, c, want->backup.at[i].s);
	return err;
}

static int build(struct records *r, struct put *p, struct change *c)
{
	cleanup_prefixes struct prefixes behind = {};
	char key[MEMBER_KEY];
	int err = prefixes_read(r, p->its.id, &behind);

	make_holder(p, false);
	p->holder.prefixes = &behind;
	err = err ?: prefixes_refuse_own(&behind, p->want.ip.at, p->want.ip.n);
	prefixes_keep(r, c, p->its.id, &behind);
	err = err ?: claims_add(r, c, &p->holder);
	if (err)
		return err;
	if (p->modified && !c->n_steps &&
	    fields_equal(gateway_fields, GATEWAY_IN_FILE, &p->old, &p->want))
		return 0;
	if (!p->want.nat)
		err = cluster_check_routed(r, c, p->tenant, &p->want.ip, &behind);
	err = err ?: need_hosts(r, &p->want, c);
	if (err)
		return err;
	add_vni(r, p, c);
	record_key(r, key, "gateway/%s", p->tenant->s);
	return record_put(c, OBJECT_GATEWAY, key, &p->want, p->modified);
}

static int put_once(struct records *r, void *context, bool again, struct change *c)
{
	struct put *p = context;
	int err = prepare(r, p, again);

	return err ?: build(r, p, c);
}

int cluster_gateway_put(struct records *r, const struct tsw_name *tenant,
			const struct tsw_gateway_spec *spec, __u64 given, enum spec_how how)
{
	struct put p = {.tenant = tenant, .spec = spec, .given = given, .how = how};

	return record_change(r, put_once, claims_refuse, &p);
}

/* ---- deleting --------------------------------------------------------------------- */

/* Without the gateway its published ports and peerings could not work. */
static int check_ways(const struct records *r, const struct put *p, struct change *c)
{
	cleanup_look struct look look = {};
	size_t peers;
	int err;

	look_count(&look, r, "publish/%s/", p->tenant->s);
	err = look_read(r, &look);
	err = err ?: peers_count(r, p->tenant->s, c, &peers);
	if (err)
		return err;
	change_empty(c, look.at[0].key, look.at[0].end);
	return rule_gateway_del((__u64)look.at[0].count, peers);
}

static int add_ways(const struct records *r, const struct put *p, struct change *c)
{
	record_pulse(r, c, "publish/");
	record_clear(r, c, "publish/%s/", p->tenant->s);
	return peers_del_all(r, p->tenant->s, c);
}

static int del_once(struct records *r, void *context, bool again, struct change *c)
{
	struct put *p = context;
	char key[MEMBER_KEY];
	int err = load(r, p, again);

	if (!err && !p->modified)
		return again ? 0 : rule_no_gateway(p->tenant->s);
	if (err)
		return err;
	make_holder(p, true);
	err = claims_add(r, c, &p->holder);
	err = err ?: p->force ? add_ways(r, p, c) : check_ways(r, p, c);
	if (err)
		return err;
	add_vni(r, p, c);
	record_key(r, key, "gateway/%s", p->tenant->s);
	change_del(c, key, p->modified);
	return 0;
}

int cluster_gateway_del(struct records *r, const struct tsw_name *tenant, bool force)
{
	struct put p = {.tenant = tenant, .force = force};

	return record_change(r, del_once, claims_refuse, &p);
}

/* ---- all of them ------------------------------------------------------------------ */

struct listing {
	cluster_each_gateway *each;
	void *context;
	size_t *refused;
};

static int list(void *context, const struct etcd_entry *entry)
{
	const struct listing *listing = context;
	struct tsw_gateway_spec spec;

	if (!read_record(entry->key, entry->value, &spec))
		return listing->each(listing->context, record_name(entry->key), &spec);
	++*listing->refused;
	return 0;
}

int cluster_gateways(const struct records *r, const struct tsw_name *tenant, size_t *refused,
		     cluster_each_gateway *each, void *context)
{
	struct listing listing = {each, context, refused};
	struct tsw_gateway_spec spec;
	int err;

	if (!*tenant->s)
		return records_read(r, NULL, list, &listing, "gateway/");
	err = cluster_gateway_get(r, tenant, &spec, NULL);
	return err ?: each(context, tenant->s, &spec);
}
