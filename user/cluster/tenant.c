// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/sweep.h"
#include "cluster/prefixes.h"
#include "cluster/tenant.h"
#include "record/boot.h"
#include "record/fields.h"
#include "record/limits.h"
#include "record/relay.h"
#include "record/tenant_find.h"

/* ---- reading ---------------------------------------------------------------------- */

/* Reads the record SEEN. The name in it must be the key's. */
static int read_seen(const struct seen *seen, struct tsw_tenant_spec *spec)
{
	return record_read_at(OBJECT_TENANT, seen->key, seen->value, spec);
}

int cluster_tenant_get(const struct records *r, const struct tsw_name *name,
		       struct tsw_tenant_spec *spec, __s64 *modified)
{
	cleanup_look struct look look = {};
	struct tsw_tenant_spec unused;
	int err;

	spec = spec ?: &unused;
	*spec = (struct tsw_tenant_spec)TSW_TENANT_DEFAULTS;
	look_at(&look, r, "tenant/%s", name->s);
	err = look_read(r, &look);
	if (!err && !look.at[0].value)
		err = rule_missing("tenant", name->s);
	if (err)
		return err;
	if (modified)
		*modified = look.at[0].modified;
	return read_seen(&look.at[0], spec);
}

int cluster_tenant_owns(const struct seen *vni, const struct tsw_name *tenant, bool again)
{
	if (claim_is_of(vni->value, tenant->s))
		return 0;
	if (!again)
		return -EAGAIN;
	return fail(
		EINVAL,
		"tenant %s has no claim on its id, the record %s: write it anew by: tsw -c tenant "
		"replace",
		quoted(tenant->s), vni->key);
}

/* ---- adding and changing ---------------------------------------------------------- */

struct put {
	const struct tsw_tenant_spec *spec;
	__u64 given;
	enum spec_how how;
	struct tsw_tenant_spec *got;

	/* Of one try: */
	bool chosen;			  /* tsw chose the id at random */
	struct tsw_tenant_spec old, want; /* before and after the change */
	__s64 modified;			  /* revision of OLD's record; 0: it does not exist */
};

static int random_id(__u32 most, __u32 *id)
{
	__u32 n;

	if (getrandom(&n, sizeof(n), 0) != sizeof(n))
		return fail(errno, "cannot get random octets");
	*id = n % most + 1;
	return 0;
}

/* A chosen id is valid for every encapsulation, which may be changed later. */
static int settle_id(struct put *p)
{
	const bool automatic = !(p->given & FIELD(TENANT_ID)) || p->spec->automatic & TSW_AUTO_ID;
	const __u32 most = tenant_id_max(p->want.encap);

	p->chosen = automatic && !(p->modified && p->old.id <= most);
	if (p->chosen)
		return random_id(TSW_VNI_MAX, &p->want.id);
	if (automatic)
		p->want.id = p->old.id;
	return rule_tenant_id(p->want.id, most);
}

/* Reads the tenant as it is, and makes it as asked for. */
static int prepare(const struct records *r, struct put *p, bool again)
{
	int err = cluster_tenant_get(r, &p->spec->name, &p->old, &p->modified);

	if (err == -ENOENT && p->how != SPEC_SET) {
		p->modified = 0;
		err = 0;
	}
	if (!err && p->modified && p->how == SPEC_ADD && !again)
		err = rule_tenant_exists(p->old.name.s, p->old.id);
	if (err)
		return err;
	p->want = p->how == SPEC_SET ? p->old : (struct tsw_tenant_spec)TSW_TENANT_DEFAULTS;
	fields_copy(tenant_fields, p->given | FIELD(TENANT_NAME), p->spec, &p->want);
	p->want.automatic = 0;
	err = limits_settle(&p->want.limits, p->given & FIELD(TENANT_BURST));
	err = err ?: rule_burst(&p->want.limits, p->want.mtu);
	err = err ?: boot_check(&p->want);
	err = err ?: relay_check(&p->want);
	return err ?: settle_id(p);
}

/* SEEN is another owner's claim on the id. Refuses, unless it is an orphan: deletes that. */
static int refuse_or_sweep(const struct records *r, const struct put *p, const struct seen *seen)
{
	struct tsw_tenant_spec other = {};
	struct tsw_name name = {};
	char owner[CHANGE_TEXT];
	struct orphan orphan = {p->want.id, owner, seen->modified, 0};
	int err = -ENOENT;

	claim_read(seen->value, owner, NULL);
	if (*owner && strlen(owner) < sizeof(name.s)) {
		memcpy(name.s, owner, strlen(owner));
		err = cluster_tenant_get(r, &name, &other, &orphan.tenant);
	}
	if (err && err != -ENOENT)
		return err;
	if (!err && other.id == p->want.id)
		return p->chosen ? -EAGAIN : rule_id_taken(p->want.id, owner);
	err = sweep(r, &orphan);
	return err ?: -EAGAIN; /* the id is free now */
}

/*
 * SEEN is the tenant's own claim, but its record was deleted by hand, or `tenant del` was killed.
 * HAS: how many endpoints, groups and rules the id has; these stay the tenant's.
 */
static int take_back(const struct records *r, const struct put *p, const struct seen *seen,
		     __s64 has, struct change *c)
{
	const struct orphan orphan = {p->want.id, p->want.name.s, seen->modified, p->modified};
	int err;

	if (has) {
		change_claim(c, seen->key, p->want.name.s, seen->modified, CLAIM_GIVEN);
		return 0;
	}
	err = sweep(r, &orphan);
	return err ?: -EAGAIN;
}

/* Adds to C the tenant's claim on its id, unless it has that already. */
static int claim_id(const struct records *r, const struct put *p, struct change *c)
{
	cleanup_look struct look look = {};
	int err;

	look_at(&look, r, "vni/%u", p->want.id);
	look_count(&look, r, "e/%u/", p->want.id);
	look_count(&look, r, "policy/%u/", p->want.id);
	err = look_read(r, &look);
	if (err)
		return err;
	if (!look.at[0].value) {
		change_claim(c, look.at[0].key, p->want.name.s, 0, CLAIM_GIVEN);
		return 0;
	}
	if (!claim_is_of(look.at[0].value, p->want.name.s))
		return refuse_or_sweep(r, p, &look.at[0]);
	if (p->modified && p->old.id == p->want.id)
		return 0;
	return take_back(r, p, &look.at[0], look.at[1].count + look.at[2].count, c);
}

/* A tenant without endpoints, gateway and policies may change its id: nothing refers to that. */
static int give_up_id(const struct records *r, const struct put *p, struct change *c)
{
	cleanup_look struct look look = {};
	const struct seen *gateway, *vni, *endpoints, *policies;
	int err;

	look_at(&look, r, "gateway/%s", p->old.name.s);
	look_at(&look, r, "vni/%u", p->old.id);
	look_count(&look, r, "e/%u/", p->old.id);
	look_count(&look, r, "policy/%u/", p->old.id);
	err = look_read(r, &look);
	if (err)
		return err;
	gateway = &look.at[0];
	vni = &look.at[1];
	endpoints = &look.at[2];
	policies = &look.at[3];
	err = rule_renumber(p->old.id, &(struct rule_uses){.endpoints = (__u64)endpoints->count,
							   .policy = policies->count,
							   .gateway = gateway->value});
	if (err)
		return err;
	change_empty(c, endpoints->key, endpoints->end);
	change_empty(c, policies->key, policies->end);
	change_check(c, gateway->key, 0);
	sweep_claims(r, c, p->old.id);
	if (vni->value)
		change_del(c, vni->key, vni->modified);
	return 0;
}

static int build(const struct records *r, const struct put *p, struct change *c)
{
	cleanup_prefixes struct prefixes behind = {};
	char key[MEMBER_KEY];
	int err = claim_id(r, p, c);

	if (!err && p->want.net.n) {
		err = prefixes_read(r, p->want.id, &behind);
		err = err ?: prefixes_refuse_own(&behind, p->want.net.at, p->want.net.n);
		prefixes_keep(r, c, p->want.id, &behind);
	}
	if (!err && p->modified && p->old.id != p->want.id)
		err = give_up_id(r, p, c);
	if (err)
		return err;
	if (p->modified && !c->n_steps &&
	    fields_equal(tenant_fields, ~TENANT_PARTS, &p->old, &p->want))
		return 0;
	record_pulse(r, c, "tenant/");
	record_key(r, key, "tenant/%s", p->want.name.s);
	return record_put(c, OBJECT_TENANT, key, &p->want, p->modified);
}

/* Is the tenant as asked for already, by an earlier try or by somebody else? */
static bool is_so(const struct put *p)
{
	const __u64 id = p->chosen ? FIELD(TENANT_ID) : 0;

	return p->modified && fields_equal(tenant_fields, ~(TENANT_PARTS | id), &p->old, &p->want);
}

static int put_once(struct records *r, void *context, bool again, struct change *c)
{
	struct put *p = context;
	int err = prepare(r, p, again);

	if (err)
		return err;
	if (p->how == SPEC_ADD && p->modified && !is_so(p))
		return rule_tenant_exists(p->old.name.s, p->old.id);
	return build(r, p, c);
}

int cluster_tenant_put(struct records *r, const struct tsw_tenant_spec *spec, __u64 given,
		       enum spec_how how, struct tsw_tenant_spec *got)
{
	struct put p = {.spec = spec, .given = given, .how = how};
	int err = record_change(r, put_once, NULL, &p);

	if (!err && got)
		*got = p.want;
	return err;
}

/* ---- all of them ------------------------------------------------------------------ */

struct listing {
	const struct records *r;
	struct look counts; /* of endpoints, in the order of ALL */
	struct tsw_tenant_spec *all;
	size_t n;
	size_t *refused;
};

static int list(void *context, const struct etcd_entry *entry)
{
	const struct seen seen = {.key = (char *)entry->key, .value = (char *)entry->value};
	struct tsw_tenant_spec spec = TSW_TENANT_DEFAULTS;
	struct listing *listing = context;

	if (read_seen(&seen, &spec)) {
		++*listing->refused;
		return 0;
	}
	look_count(&listing->counts, listing->r, "e/%u/", spec.id);
	return list_append(&listing->all, &listing->n, &spec, sizeof(spec));
}

int cluster_tenants(const struct records *r, size_t *refused, cluster_each_tenant *each,
		    void *context)
{
	struct listing listing = {.r = r, .refused = refused};
	size_t i;
	int err = records_read(r, NULL, list, &listing, "tenant/");

	err = err ?: look_read(r, &listing.counts);
	for (i = 0; !err && i < listing.n; i++)
		err = each(context, &listing.all[i], listing.counts.at[i].count);
	look_end(&listing.counts);
	free(listing.all);
	return err;
}

int cluster_tenant_one(const struct records *r, const struct tsw_name *name,
		       cluster_each_tenant *each, void *context)
{
	cleanup_look struct look look = {};
	struct tsw_tenant_spec spec;
	int err = cluster_tenant_get(r, name, &spec, NULL);

	if (err)
		return err;
	look_count(&look, r, "e/%u/", spec.id);
	err = look_read(r, &look);
	return err ?: each(context, &spec, look.at[0].count);
}

/* ---- their ids -------------------------------------------------------------------- */

static int add_id(void *context, const struct tsw_tenant_spec *spec, __s64 endpoints)
{
	const struct tenant_id id = {spec->id, spec->name};
	struct tenant_ids *ids = context;

	(void)endpoints;
	return list_append(&ids->all, &ids->n, &id, sizeof(id));
}

int tenant_ids_read(const struct records *r, const struct tsw_name *name, size_t *refused,
		    struct tenant_ids *ids)
{
	struct tsw_tenant_spec one;
	int err;

	if (!*name->s)
		return cluster_tenants(r, refused, add_id, ids);
	err = cluster_tenant_get(r, name, &one, NULL);
	return err ?: add_id(ids, &one, 0);
}

void tenant_ids_free(struct tenant_ids *ids)
{
	free(ids->all);
	*ids = (struct tenant_ids){};
}

static int compare_ids(const void *a, const void *b)
{
	const struct tenant_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void tenant_ids_sort(struct tenant_ids *ids)
{
	if (ids->n)
		qsort(ids->all, ids->n, sizeof(*ids->all), compare_ids);
}

const struct tsw_name *tenant_ids_name(const struct tenant_ids *ids, __u32 id)
{
	const struct tenant_id key = {.id = id}, *found = NULL;

	if (ids->n)
		found = bsearch(&key, ids->all, ids->n, sizeof(key), compare_ids);
	return found ? &found->name : NULL;
}
