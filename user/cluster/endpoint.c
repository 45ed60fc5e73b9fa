// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/claims.h"
#include "cluster/endpoint.h"
#include "cluster/gateway.h"
#include "cluster/group.h"
#include "cluster/host_index.h"
#include "cluster/hosts.h"
#include "cluster/peers.h"
#include "cluster/pick.h"
#include "cluster/routed.h"
#include "cluster/tenant.h"
#include "kernel/link.h"
#include "record/choice.h"
#include "record/fields.h"
#include "record/limits.h"
#include "record/endpoint_find.h"
#include "record/nets.h"
#include "record/plugin.h"
#include "record/prefix_find.h"
#include "rules/rules.h"

struct put {
	struct holder holder; /* first, for claims_refuse() */
	const struct tsw_endpoint_spec *spec;
	__u64 given;
	enum spec_how how;
	__s64 only; /* delete only the record of this revision; 0: any */

	/* Of one try: */
	struct tsw_tenant_spec tenant;
	struct tsw_endpoint_spec old, want; /* before and after the change */
	__s64 modified;			    /* revision of OLD's record; 0: it does not exist */
	struct holding have, hold;	    /* of OLD and of WANT */
	struct look look;	    /* begins with the AT_ keys; then addresses and groups */
	size_t groups;		    /* index of the first group in LOOK */
	struct pick pick[TSW_NETS]; /* candidates for addresses, if tsw chooses these */
	struct prefixes prefixes;   /* of the tenant */
};

enum { AT_VNI, AT_RECORD, AT_HOST, AT_PREFIXES };

/* ---- the endpoint as it is -------------------------------------------------------- */

/* Does tsw choose addresses? Yes if asked to, and for a new endpoint without any. */
static bool chooses_ips(const struct put *p)
{
	const bool given = p->given & FIELD(ENDPOINT_IP);

	return p->spec && (p->spec->automatic & TSW_AUTO_IP ||
			   (!given && p->how != SPEC_SET && p->tenant.net.n));
}

/* Only new groups are checked. A group cannot be deleted while the endpoint is in it. */
static unsigned int count_groups(const struct put *p)
{
	return p->given & FIELD(ENDPOINT_GROUP) ? p->spec->group.n : 0;
}

static void look_at_groups(const struct records *r, struct put *p)
{
	unsigned int i;

	p->groups = p->look.n;
	for (i = 0; i < count_groups(p); i++)
		group_look(r, p->tenant.id, &p->spec->group.at[i], &p->look);
}

static int check_groups(const struct put *p)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < count_groups(p); i++)
		err = group_is_there(&p->look.at[p->groups + i], &p->tenant.name);
	return err;
}

/* Reads the endpoint NAME of P's tenant. It need not exist. */
static int load(const struct records *r, const struct tsw_name *name, struct put *p, bool again)
{
	const bool elsewhere = p->given & FIELD(ENDPOINT_HOST);
	struct seen *at;
	int err = 0;
	__u32 i;

	look_end(&p->look);
	prefixes_end(&p->prefixes);
	look_at(&p->look, r, "vni/%u", p->tenant.id);
	look_at(&p->look, r, "e/%u/%s", p->tenant.id, name->s);
	look_at(&p->look, r, "host/%s", elsewhere ? p->spec->host.s : r->m.host.s);
	look_count(&p->look, r, "net/%u/", p->tenant.id);
	for (i = 0; !err && chooses_ips(p) && i < p->tenant.net.n; i++)
		err = pick_ask(&p->pick[i], r, p->tenant.id, &p->tenant.net.at[i], &p->look);
	look_at_groups(r, p);
	err = err ?: look_read(r, &p->look);
	at = p->look.at;
	err = err ?: cluster_tenant_owns(&at[AT_VNI], &p->tenant.name, again);
	err = err ?: check_groups(p);
	if (!err && at[AT_PREFIXES].count)
		err = prefixes_read(r, p->tenant.id, &p->prefixes);
	if (err)
		return err;
	p->modified = at[AT_RECORD].modified;
	p->old = (struct tsw_endpoint_spec){};
	if (!at[AT_RECORD].value)
		return 0;
	err = cluster_endpoint_read(at[AT_RECORD].key, at[AT_RECORD].value, &p->old);
	p->old.tenant = p->tenant.name;
	p->have = (struct holding){p->old.mac, p->old.ip, p->old.vip, p->old.prefix};
	return err;
}

/* ---- the endpoint as asked for ---------------------------------------------------- */

static int settle_mac(struct put *p)
{
	const bool automatic = p->spec->automatic & TSW_AUTO_MAC ||
			       (!(p->given & FIELD(ENDPOINT_MAC)) && p->how != SPEC_SET);
	const struct tsw_mac gateway = gateway_mac(p->tenant.id); /* the gateway may come later */
	int err = 0;

	if (!automatic)
		return 0;
	p->holder.chosen_mac = !p->modified;
	if (p->modified)
		p->want.mac = p->old.mac;
	else
		do
			err = choice_mac(&p->want.mac);
		while (!err && mac_equal(&p->want.mac, &gateway));
	return err;
}

/* An address of the tenant's net N: one that the endpoint has already, or a free one. */
static int choose_ip(const struct records *r, struct put *p, __u32 n, struct tsw_addr_list *all)
{
	const struct tsw_prefix *net = &p->tenant.net.at[n];
	const struct tsw_addr_list others = vips_with(&p->want.vip, all);
	const struct choice of = choice_of(net);
	struct tsw_addr addr;
	int err = 0;

	if (!choice_keeps(&of, p->old.ip.at, p->old.ip.n, &others, &addr) &&
	    !pick_found(&p->pick[n], &p->look, &others, &p->prefixes, &addr))
		err = pick_address(r, p->tenant.id, net, &others, &p->prefixes, &addr);
	if (!err)
		all->at[all->n++] = addr;
	return err;
}

/* The addresses that tsw chose come first, one of each net, then the given ones. */
static int settle_ips(const struct records *r, struct put *p)
{
	struct tsw_addr_list all = p->want.ip;
	const unsigned int before = all.n;
	__u32 i;
	int err = 0;

	if (!chooses_ips(p))
		return 0;
	if (!p->tenant.net.n)
		return rule_no_net(p->tenant.name.s, "-c ");
	err = rule_addresses(all.n + p->tenant.net.n);
	for (i = 0; !err && i < p->tenant.net.n; i++)
		err = choose_ip(r, p, i, &all);
	if (err)
		return err;
	p->want.ip.n = all.n;
	memcpy(p->want.ip.at, all.at + before, (all.n - before) * sizeof(all.at[0]));
	memcpy(p->want.ip.at + (all.n - before), all.at, before * sizeof(all.at[0]));
	for (i = 0; i < all.n - before; i++)
		if (!(p->modified && addr_list_has(&p->old.ip, &p->want.ip.at[i])))
			p->holder.chosen_ip |= 1ULL << i;
	return 0;
}

static bool gives(const struct put *p, enum endpoint_field field)
{
	return p->given & FIELD(field);
}

/*
 * Without a host, a device is one of this host. With a host alone, the endpoint has no device
 * there, unless it is moving: then both hosts keep its devices.
 */
static void settle_first(const struct records *r, struct put *p)
{
	if (gives(p, ENDPOINT_DEV) && !gives(p, ENDPOINT_HOST))
		p->want.host = r->m.host;
	if (!gives(p, ENDPOINT_HOST) || gives(p, ENDPOINT_DEV))
		return;
	if (p->old.to_host.s[0] && !strcmp(p->old.to_host.s, p->want.host.s))
		memcpy(p->want.dev, p->old.to_dev, sizeof(p->want.dev));
	else if (!p->old.to_host.s[0] || strcmp(p->old.host.s, p->want.host.s))
		memset(p->want.dev, 0, sizeof(p->want.dev));
}

/* Where it moves to. A command that says only where it lives ends the move. */
static int settle_to(const struct records *r, struct put *p)
{
	struct tsw_endpoint_spec *want = &p->want;

	if (gives(p, ENDPOINT_TO_DEV) && !gives(p, ENDPOINT_TO_HOST))
		want->to_host = r->m.host;
	if ((gives(p, ENDPOINT_DEV) || gives(p, ENDPOINT_HOST)) && !(p->given & ENDPOINT_TO))
		want->to_host = (struct tsw_name){};
	if (!want->to_host.s[0] || (gives(p, ENDPOINT_TO_HOST) && !gives(p, ENDPOINT_TO_DEV)))
		memset(want->to_dev, 0, sizeof(want->to_dev));
	if (!want->to_host.s[0])
		return 0;
	if (!strcmp(want->to_host.s, want->host.s))
		return rule_moves_nowhere(want->name.s, want->host.s);
	return p->old.to_host.s[0] ? rule_moving_mac(want->name.s, &p->old.mac, &want->mac) : 0;
}

static int check_ips(const struct put *p)
{
	const struct tsw_addr_list *old = &p->old.ip, *want = &p->want.ip;
	const struct tsw_vip_list *vips = &p->want.vip;
	int err = addrs_check(want->at, want->n);

	err = err ?: vips_check_own(vips, want->at, want->n);
	err = err ?: nets_check_new(&p->tenant.net, old->at, old->n, want->at, want->n);
	return err
		       ?: nets_check_new(&p->tenant.net, p->old.vip.at, p->old.vip.n, vips->at,
					 vips->n);
}

static int check_name(const struct tsw_name *name)
{
	if (strcmp(name->s, CLAIMS_GATEWAY) != 0 && strcmp(name->s, CLAIMS_VIP) != 0)
		return 0;
	return misuse("%s cannot be an endpoint's name: it stands for %s", quoted(name->s),
		      strcmp(name->s, CLAIMS_VIP) ? "the gateway" : "vips");
}

static int prepare(const struct records *r, struct put *p, bool again)
{
	struct tsw_name tenant = p->spec->tenant;
	int err = check_name(&p->spec->name);

	p->holder = (struct holder){.blind = !again};
	if (!err && !*tenant.s)
		err = cluster_endpoint_tenant(r, &p->spec->name, &tenant);
	err = err ?: cluster_tenant_get(r, &tenant, &p->tenant, NULL);
	err = err ?: load(r, &p->spec->name, p, again);
	if (!err && !p->modified && p->how == SPEC_SET)
		err = rule_lacks(tenant.s, "endpoint", p->spec->name.s);
	if (err)
		return err;
	if (p->modified && p->how == SPEC_ADD)
		return rule_has(tenant.s, "an endpoint", p->spec->name.s);
	p->want = p->old;
	if (p->how != SPEC_SET) {
		p->want = (struct tsw_endpoint_spec){.name = p->spec->name, .host = p->old.host};
		memcpy(p->want.dev, p->old.dev, sizeof(p->want.dev));
	}
	p->want.tenant = tenant;
	fields_copy(endpoint_fields, p->given & ~FIELD(ENDPOINT_TENANT), p->spec, &p->want);
	err = limits_settle(&p->want.limits, p->given & FIELD(ENDPOINT_BURST));
	settle_first(r, p);
	err = err ?: settle_mac(p);
	err = err ?: settle_to(r, p);
	err = err ?: settle_ips(r, p);
	return err ?: check_ips(p);
}

/* ---- the change ------------------------------------------------------------------- */

/* A plugin removes a device after its record. If it is gone before, so is the container. */
static bool is_lost(const struct records *r, const struct tsw_endpoint_spec *ep)
{
	struct link unused;

	return !strcmp(ep->host.s, r->m.host.s) && plugin_device(ep->dev) &&
	       link_by_name(ep->dev, &unused) == -ENODEV;
}

static void make_holder(const struct records *r, struct put *p, bool del)
{
	p->hold = (struct holding){p->want.mac, p->want.ip, p->want.vip, p->want.prefix};
	p->holder.id = p->tenant.id;
	p->holder.tenant = p->tenant.name.s;
	p->holder.owner = p->spec->name.s;
	p->holder.prefixes = &p->prefixes;
	p->holder.have = p->modified ? &p->have : NULL;
	p->holder.want = del ? NULL : &p->hold;
	p->holder.no_rest = del && is_lost(r, &p->old);
}

/* The tenant must keep its id. */
static void add_vni(const struct put *p, struct change *c)
{
	change_check(c, p->look.at[AT_VNI].key, p->look.at[AT_VNI].modified);
}

static int need_groups(const struct put *p, struct change *c)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < count_groups(p); i++)
		err = group_need(c, &p->look.at[p->groups + i], &p->tenant.name);
	return err;
}

/* Compares prefixes with the tenant's own networks. All other overlaps are found by claims. */
static int check_prefixes(const struct records *r, struct put *p, struct change *c)
{
	const struct tsw_prefix_list *list = &p->want.prefix;
	struct tsw_gateway_spec gateway = {};
	struct tsw_tenant_spec tenant;
	__s64 its = 0, modified = 0;
	__u32 i;
	int err;

	if (!list->n || prefixes_equal(list, &p->old.prefix))
		return 0;
	err = rule_prefixes(list);
	err = err ?: cluster_tenant_get(r, &p->tenant.name, &tenant, &its);
	if (err)
		return err;
	err = cluster_gateway_get(r, &p->tenant.name, &gateway, &modified);
	err = err == -ENOENT ? 0 : err;
	record_check(r, c, its, "tenant/%s", p->tenant.name.s);
	record_check(r, c, modified, "gateway/%s", p->tenant.name.s);
	for (i = 0; !err && i < list->n; i++)
		err = rule_prefix_own(&list->at[i], tenant.net.at, tenant.net.n)
			      ?: rule_prefix_own(&list->at[i], gateway.ip.at, gateway.ip.n);
	err = err ?: peers_check_prefixes(r, c, &p->tenant.name, list);
	if (!err && modified && !gateway.nat)
		err = cluster_check_routed(r, c, &p->tenant.name, list, NULL);
	return err;
}

static int build(struct records *r, struct put *p, struct change *c)
{
	int err;

	make_holder(r, p, false);
	err = check_prefixes(r, p, c);
	err = err ?: claims_add(r, c, &p->holder);
	err = err ?: host_index_change(r, c, p->tenant.id, p->modified ? &p->old : NULL, &p->want);
	if (err ||
	    (p->modified && !c->n_steps && fields_equal(endpoint_fields, ~0ULL, &p->old, &p->want)))
		return err; /* it is as asked already */
	add_vni(p, c);
	err = !strcmp(p->want.host.s, record_name(p->look.at[AT_HOST].key))
		      ? cluster_need_seen_host(r, c, &p->look.at[AT_HOST])
		      : cluster_need_host(r, c, p->want.host.s);
	if (!err && p->want.to_host.s[0])
		err = cluster_need_host(r, c, p->want.to_host.s);
	err = err ?: need_groups(p, c);
	if (err)
		return err;
	record_pulse(r, c, "e/%u/", p->tenant.id);
	return record_put(c, OBJECT_ENDPOINT, p->look.at[AT_RECORD].key, &p->want, p->modified);
}

static int put_once(struct records *r, void *context, bool again, struct change *c)
{
	struct put *p = context;
	int err = prepare(r, p, again);

	return err ?: build(r, p, c);
}

int cluster_endpoint_put(struct records *r, const struct tsw_endpoint_spec *spec, __u64 given,
			 enum spec_how how, struct tsw_endpoint_spec *got)
{
	struct put p = {.spec = spec, .given = given, .how = how};
	int err = record_change(r, put_once, claims_refuse, &p);

	look_end(&p.look);
	prefixes_end(&p.prefixes);
	if (!err && got)
		*got = p.want;
	return err;
}

/* ---- deleting --------------------------------------------------------------------- */

static int del_once(struct records *r, void *context, bool again, struct change *c)
{
	struct put *p = context;
	struct tsw_name tenant = p->spec->tenant;
	int err = *tenant.s ? 0 : cluster_endpoint_tenant(r, &p->spec->name, &tenant);

	err = err ?: cluster_tenant_get(r, &tenant, &p->tenant, NULL);
	err = err ?: load(r, &p->spec->name, p, again);
	/* An earlier try, or somebody else, deleted it. */
	if (!err && !p->modified && again)
		return 0;
	if (!err && !p->modified)
		err = rule_lacks(tenant.s, "endpoint", p->spec->name.s);
	if (!err && p->only && p->modified != p->only)
		err = fail(ECANCELED, "the endpoint was changed meanwhile");
	if (err)
		return err;
	make_holder(r, p, true);
	err = claims_add(r, c, &p->holder);
	if (err)
		return err;
	add_vni(p, c);
	record_pulse(r, c, "e/%u/", p->tenant.id);
	change_del(c, p->look.at[AT_RECORD].key, p->modified);
	return host_index_change(r, c, p->tenant.id, &p->old, NULL);
}

int cluster_endpoint_del(struct records *r, const struct tsw_name *tenant,
			 const struct tsw_name *name, __s64 modified, struct tsw_endpoint_spec *was)
{
	const struct tsw_endpoint_spec spec = {.name = *name, .tenant = *tenant};
	struct put p = {.spec = &spec, .how = SPEC_SET, .only = modified};
	int err = record_change(r, del_once, claims_refuse, &p);

	look_end(&p.look);
	prefixes_end(&p.prefixes);
	if (was) {
		*was = p.old;
		was->name = *name;
		was->tenant = p.tenant.name;
	}
	return err;
}
