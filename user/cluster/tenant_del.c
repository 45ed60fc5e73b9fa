// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "cluster/change.h"
#include "cluster/peers.h"
#include "cluster/sweep.h"
#include "cluster/tenant.h"

struct del {
	const struct tsw_name *name;
	bool force;
};

/* What one try sees. */
struct seen_tenant {
	struct tsw_tenant_spec spec;
	__s64 modified;
	const struct seen *gateway, *vni, *endpoints, *publishes;
	struct record_range publish, endpoint;
	bool owns; /* the id's claim is its own, or nobody's */
};

static void ask(const struct records *r, struct seen_tenant *t, struct look *look)
{
	char key[MEMBER_KEY];

	t->endpoint = record_range(r, "e/%u/", t->spec.id);
	t->publish = record_range(r, "publish/%s/", t->spec.name.s);
	record_key(r, key, "gateway/%s", t->spec.name.s);
	look_at(look, key);
	record_key(r, key, "vni/%u", t->spec.id);
	look_at(look, key);
	look_count(look, &t->endpoint);
	look_count(look, &t->publish);
}

static int look_at_tenant(const struct records *r, const struct del *d, struct seen_tenant *t,
			  struct look *look)
{
	char owner[CHANGE_TEXT];
	int err = cluster_tenant_get(r, d->name, &t->spec, &t->modified);

	if (err)
		return err;
	ask(r, t, look);
	err = look_read(r, look);
	if (err)
		return err;
	t->gateway = &look->at[0];
	t->vni = &look->at[1];
	t->endpoints = &look->at[2];
	t->publishes = &look->at[3];
	if (t->vni->value)
		claim_read(t->vni->value, owner, NULL);
	t->owns = !t->vni->value || !strcmp(owner, d->name->s);
	return d->force ? 0
			: rule_tenant_del(&(struct rule_uses){
				  .endpoints = t->owns ? (__u64)t->endpoints->count : 0,
				  .gateway = t->gateway->value});
}

/* Its id's: with force they go, and the claim last of all; without there are none. */
static void add_id(const struct records *r, const struct seen_tenant *t, bool force,
		   struct change *c)
{
	const char *key = t->vni->key;

	if (force) {
		sweep_add(r, c, t->spec.id);
		change_take_over(c, key, t->spec.name.s, t->vni->modified);
		return;
	}
	change_empty(c, t->endpoint.key, t->endpoint.end);
	sweep_claims(r, c, t->spec.id);
	if (t->vni->value)
		change_del(c, key, t->vni->modified);
	else
		change_check(c, key, 0);
}

static void add_ways(const struct records *r, const struct seen_tenant *t, bool force,
		     struct change *c)
{
	if (t->gateway->value)
		record_pulse(r, c, "gateway/");
	if (force)
		change_clear(c, t->gateway->key, NULL);
	else
		change_check(c, t->gateway->key, 0);
	if (t->publishes->count)
		record_pulse(r, c, "publish/");
	change_clear(c, t->publish.key, t->publish.end);
}

/* Commits itself, since what the id had goes behind that. */
static int del_once(struct records *r, void *context, bool again, struct change *unused)
{
	const struct del *d = context;
	cleanup_look struct look look = {};
	struct seen_tenant t = {};
	char key[MEMBER_KEY];
	struct change c;
	size_t found = 0;
	__s64 revision;
	int err = look_at_tenant(r, d, &t, &look);

	(void)unused;
	if (err == -ENOENT && d->force) {
		err = sweep_orphans(r, d->name->s, &found);
		return err || found || again ? err : cluster_tenant_get(r, d->name, &t.spec, NULL);
	}
	if (err)
		return err == -ENOENT && again ? 0 : err;
	change_begin(&c);
	record_pulse(r, &c, "tenant/");
	record_key(r, key, "tenant/%s", d->name->s);
	change_del(&c, key, t.modified);
	if (t.owns)
		add_id(r, &t, d->force, &c);
	add_ways(r, &t, d->force, &c);
	err = peers_del_all(r, d->name->s, &c);
	if (!err)
		err = change_commit(r->e, &c, &revision);
	change_end(&c);
	if (err)
		return err == -EEXIST ? -EAGAIN : err;
	return d->force && t.owns ? sweep_rest(r, t.spec.id, revision) : 0;
}

int cluster_tenant_del(struct records *r, const struct tsw_name *name, bool force)
{
	struct del d = {name, force};

	return record_change(r, del_once, NULL, &d);
}
