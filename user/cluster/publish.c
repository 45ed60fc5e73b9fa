// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "base/spell.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/claims.h"
#include "cluster/gateway.h"
#include "cluster/hosts.h"
#include "cluster/prefixes.h"
#include "cluster/publish.h"
#include "cluster/tenant.h"
#include "record/fields.h"

/* ---- all of them ------------------------------------------------------------------ */

struct row {
	struct tsw_name tenant;
	struct tsw_publish_spec spec;
	__s64 modified;
};

struct listing {
	const struct records *r;
	struct row *all;
	size_t n;
	size_t refused;
};

void cluster_publish_name(const char *tenant, const struct tsw_publish_spec *spec,
			  char name[MEMBER_KEY])
{
	snprintf(name, MEMBER_KEY, "publish/%s/%s/%u/%s%s%s", tenant, word_protos[spec->proto],
		 spec->port, addr_is_v4(&spec->to.addr) ? "ipv4" : "ipv6", *spec->host.s ? "/" : "",
		 spec->host.s);
}

static void key_of(const struct records *r, const char *tenant, const struct tsw_publish_spec *spec,
		   char key[MEMBER_KEY])
{
	char name[MEMBER_KEY];

	cluster_publish_name(tenant, spec, name);
	record_key(r, key, "%s", name);
}

/* Reads the tenant from the key. The rest of the key must be what the record says. */
static bool read_row(const struct records *r, const struct etcd_entry *entry, struct row *row)
{
	char key[MEMBER_KEY];
	size_t len;

	record_key(r, key, "publish/");
	len = strcspn(entry->key + strlen(key), "/");
	*row = (struct row){.modified = entry->modified};
	if (len >= sizeof(row->tenant.s) || record_read(OBJECT_PUBLISH, entry->value, &row->spec))
		return false;
	memcpy(row->tenant.s, entry->key + strlen(key), len);
	key_of(r, row->tenant.s, &row->spec, key);
	return !strcmp(key, entry->key);
}

static int take(void *context, const struct etcd_entry *entry)
{
	struct listing *l = context;
	struct row row;

	if (read_row(l->r, entry, &row))
		return list_append(&l->all, &l->n, &row, sizeof(row));
	l->refused++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->tenant.s, y->tenant.s);

	order = order ?: (int)x->spec.proto - (int)y->spec.proto;
	order = order ?: (int)x->spec.port - (int)y->spec.port;
	order = order ?: addr_is_v4(&y->spec.to.addr) - addr_is_v4(&x->spec.to.addr);
	return order ?: strcmp(x->spec.host.s, y->spec.host.s);
}

static int read_all(const struct records *r, struct change *c, struct listing *l)
{
	int err;

	l->r = r;
	err = records_read(r, c, take, l, "publish/");
	if (!err && l->n)
		qsort(l->all, l->n, sizeof(*l->all), compare);
	return err;
}

int cluster_publishes(const struct records *r, const struct tsw_name *tenant, size_t *refused,
		      cluster_each_publish *each, void *context)
{
	struct listing l = {};
	size_t i;
	int err = *tenant->s ? cluster_tenant_get(r, tenant, NULL, NULL) : 0;

	err = err ?: read_all(r, NULL, &l);
	for (i = 0; !err && i < l.n; i++)
		if (!*tenant->s || !strcmp(tenant->s, l.all[i].tenant.s))
			err = each(context, l.all[i].tenant.s, &l.all[i].spec);
	*refused += l.refused;
	free(l.all);
	return err;
}

/* ---- adding ----------------------------------------------------------------------- */

struct ask {
	const struct tsw_name *tenant;
	const struct tsw_publish_spec *spec;
};

/*
 * The target must be an endpoint's address or behind an endpoint, and the gateway must have an
 * address of that family.
 * Adds to C the condition that gateway and target are unchanged.
 */
static int check_target(const struct records *r, const struct ask *ask, struct change *c)
{
	cleanup_prefixes struct prefixes behind = {};
	cleanup_look struct look look = {};
	const struct claimed *around;
	struct tsw_gateway_spec gateway;
	char owner[CHANGE_TEXT];
	struct tsw_tenant_spec its;
	enum rule_owner is;
	__s64 modified;
	int err = cluster_tenant_get(r, ask->tenant, &its, NULL);

	err = err ?: cluster_gateway_get(r, ask->tenant, &gateway, &modified);
	if (err)
		return err;
	record_check(r, c, modified, "gateway/%s", ask->tenant->s);
	err = prefixes_read(r, its.id, &behind);
	if (err)
		return err;
	look_at(&look, r, "ip/%u/%s", its.id, addr_text(&ask->spec->to.addr));
	err = look_read(r, &look);
	if (err)
		return err;
	claim_read(look.at[0].value, owner, NULL);
	change_check(c, look.at[0].key, look.at[0].modified);
	around = prefixes_around(&behind, &ask->spec->to.addr);
	if (around) {
		record_check(r, c, around->modified, "net/%u/%s", its.id,
			     prefix_text(&around->prefix));
		memcpy(owner, around->owner.s, sizeof(around->owner.s));
	}
	is = !*owner			     ? OWNER_NOBODY
	     : strcmp(owner, CLAIMS_GATEWAY) ? OWNER_ENDPOINT
					     : OWNER_GATEWAY;
	return rule_target(ask->tenant->s, &ask->spec->to.addr, is, gateway.ip.at, gateway.ip.n);
}

static bool same_target(const struct tsw_publish_spec *a, const struct tsw_publish_spec *b)
{
	return a->to.port == b->to.port && addr_equal(&a->to.addr, &b->to.addr);
}

static bool same_port(const struct tsw_publish_spec *a, const struct tsw_publish_spec *b)
{
	return a->proto == b->proto && a->port == b->port &&
	       addr_is_v4(&a->to.addr) == addr_is_v4(&b->to.addr);
}

/*
 * On each host a port has one target. All published ports must stay unchanged until the commit.
 * *THERE is true if an earlier try may have been carried out, and is set if it was.
 */
static int check_port(const struct records *r, const struct ask *ask, struct change *c, bool *there)
{
	const bool again = *there;
	struct listing l = {};
	size_t i;
	int err = read_all(r, c, &l);

	*there = false;
	for (i = 0; !err && i < l.n; i++) {
		const struct tsw_publish_spec *its = &l.all[i].spec;
		const bool apart = *its->host.s && *ask->spec->host.s &&
				   strcmp(its->host.s, ask->spec->host.s) != 0;

		if (!same_port(its, ask->spec) || apart)
			continue;
		*there = again && same_target(its, ask->spec) &&
			 !strcmp(its->host.s, ask->spec->host.s) &&
			 !strcmp(l.all[i].tenant.s, ask->tenant->s);
		if (!*there)
			err = rule_is_published(l.all[i].tenant.s, its);
	}
	free(l.all);
	return err;
}

static int add_once(struct records *r, void *context, bool again, struct change *c)
{
	const struct ask *ask = context;
	char key[MEMBER_KEY];
	int err = check_target(r, ask, c);

	err = err ?: check_port(r, ask, c, &again);
	if (!err && *ask->spec->host.s)
		err = cluster_need_host(r, c, ask->spec->host.s);
	if (err || again)
		return err;
	record_pulse(r, c, "publish/");
	key_of(r, ask->tenant->s, ask->spec, key);
	return record_put(c, OBJECT_PUBLISH, key, ask->spec, 0);
}

int cluster_publish_add(struct records *r, const struct tsw_name *tenant,
			const struct tsw_publish_spec *spec)
{
	struct ask ask = {tenant, spec};

	return record_change(r, add_once, NULL, &ask);
}

/* ---- deleting --------------------------------------------------------------------- */

static bool is_asked(const struct ask *ask, const struct row *row)
{
	const struct tsw_publish_spec *want = ask->spec, *its = &row->spec;

	return !strcmp(row->tenant.s, ask->tenant->s) && its->proto == want->proto &&
	       its->port == want->port && (!want->to.port || same_target(its, want)) &&
	       (!*want->host.s || !strcmp(its->host.s, want->host.s));
}

static int del_once(struct records *r, void *context, bool again, struct change *c)
{
	const struct ask *ask = context;
	struct listing l = {};
	char key[MEMBER_KEY];
	size_t i;
	int err = cluster_tenant_get(r, ask->tenant, NULL, NULL);

	err = err ?: read_all(r, NULL, &l);
	for (i = 0; !err && i < l.n; i++) {
		if (!is_asked(ask, &l.all[i]))
			continue;
		key_of(r, ask->tenant->s, &l.all[i].spec, key);
		change_del(c, key, l.all[i].modified);
	}
	if (c->n_steps)
		record_pulse(r, c, "publish/");
	else if (!err && !again)
		err = rule_no_publish(ask->tenant->s, ask->spec);
	free(l.all);
	return err;
}

int cluster_publish_del(struct records *r, const struct tsw_name *tenant,
			const struct tsw_publish_spec *spec)
{
	struct ask ask = {tenant, spec};

	return record_change(r, del_once, NULL, &ask);
}

struct withdrawing {
	const struct tsw_name *tenant;
	const struct tsw_addr_list *ip;
	const char *key; /* of the endpoint's record */
	__s64 modified;
	bool more;
};

/* Takes as many as fit into one transaction, beside the pulse and the endpoint's record. */
static int withdraw_once(struct records *r, void *context, bool again, struct change *c)
{
	struct withdrawing *w = context;
	cleanup_look struct look look = {};
	struct listing l = {};
	char key[MEMBER_KEY];
	size_t i;
	int err;

	(void)again;
	look_at_key(&look, w->key);
	err = look_read(r, &look);
	if (!err && look.at[0].modified != w->modified)
		return fail(ECANCELED, "the endpoint was changed meanwhile");
	err = err ?: read_all(r, NULL, &l);
	w->more = false;
	for (i = 0; !err && !w->more && i < l.n; i++) {
		if (strcmp(l.all[i].tenant.s, w->tenant->s) ||
		    !addr_list_has(w->ip, &l.all[i].spec.to.addr))
			continue;
		key_of(r, w->tenant->s, &l.all[i].spec, key);
		change_del(c, key, l.all[i].modified);
		w->more = c->n_steps == ETCD_OPS - 2;
	}
	if (c->n_steps) {
		record_pulse(r, c, "publish/");
		change_check(c, w->key, w->modified);
	}
	free(l.all);
	return err;
}

int cluster_publish_withdraw(struct records *r, const struct tsw_name *tenant,
			     const struct tsw_addr_list *ip, const char *key, __s64 modified)
{
	struct withdrawing w = {tenant, ip, key, modified, false};
	int err;

	do
		err = record_change(r, withdraw_once, NULL, &w);
	while (!err && w.more);
	return err;
}
