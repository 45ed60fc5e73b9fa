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

/* The tenant as one try reads it. */
struct seen_tenant {
	struct tsw_tenant_spec spec;
	__s64 modified;
	const struct seen *gateway, *vni, *endpoints, *publishes;
	bool owns; /* no other tenant has the claim on the id */
};

static int look_at_tenant(const struct records *r, const struct del *d, struct seen_tenant *t,
			  struct look *look)
{
	int err = cluster_tenant_get(r, d->name, &t->spec, &t->modified);

	if (err)
		return err;
	look_at(look, r, "gateway/%s", t->spec.name.s);
	look_at(look, r, "vni/%u", t->spec.id);
	look_count(look, r, "e/%u/", t->spec.id);
	look_count(look, r, "publish/%s/", t->spec.name.s);
	err = look_read(r, look);
	if (err)
		return err;
	t->gateway = &look->at[0];
	t->vni = &look->at[1];
	t->endpoints = &look->at[2];
	t->publishes = &look->at[3];
	t->owns = !t->vni->value || claim_is_of(t->vni->value, d->name->s);
	return d->force ? 0
			: rule_tenant_del(&(struct rule_uses){
				  .endpoints = t->owns ? (__u64)t->endpoints->count : 0,
				  .gateway = t->gateway->value});
}

/* Records of the id. With FORCE they are deleted, and the claim stays until all of them are. */
static void add_id(const struct records *r, const struct seen_tenant *t, bool force,
		   struct change *c)
{
	const char *key = t->vni->key;

	if (force) {
		sweep_add(r, c, t->spec.id);
		change_claim(c, key, t->spec.name.s, t->vni->modified, CLAIM_GIVEN);
		return;
	}
	change_empty(c, t->endpoints->key, t->endpoints->end);
	sweep_claims(r, c, t->spec.id);
	if (t->vni->value)
		change_del(c, key, t->vni->modified);
	else
		change_check(c, key, 0);
}

/* The gateway and published ports. */
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
	change_clear(c, t->publishes->key, t->publishes->end);
}

/* Commits by itself, because the rest of the id is deleted after that. */
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
	err = err ?: change_commit(r->e, &c, &revision);
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
