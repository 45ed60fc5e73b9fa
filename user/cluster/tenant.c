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
#include "cluster/tenant.h"
#include "record/fields.h"
#include "record/limits.h"
#include "record/tenant_find.h"

/* ---- reading ---------------------------------------------------------------------- */

/* What SEEN has; the name in it is its key's, or one record could pass for another. */
static int read_seen(const struct seen *seen, struct tsw_tenant_spec *spec)
{
	return record_read_at(OBJECT_TENANT, seen->key, seen->value, spec, &spec->name);
}

int cluster_tenant_get(const struct records *r, const struct tsw_name *name,
		       struct tsw_tenant_spec *spec, __s64 *modified)
{
	cleanup_look struct look look = {};
	char key[MEMBER_KEY];
	int err;

	*spec = (struct tsw_tenant_spec)TSW_TENANT_DEFAULTS;
	record_key(r, key, "tenant/%s", name->s);
	look_at(&look, key);
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
	char owner[CHANGE_TEXT] = "";

	if (vni->value)
		claim_read(vni->value, owner, NULL);
	if (!strcmp(owner, tenant->s))
		return 0;
	return again ? fail(EINVAL,
			    "tenant %s has no claim on its id, the record %s: tsw -c tenant "
			    "replace makes it anew",
			    quoted(tenant->s), vni->key)
		     : -EAGAIN;
}

/* ---- adding and changing ---------------------------------------------------------- */

struct put {
	const struct tsw_tenant_spec *spec;
	__u64 given;
	enum spec_how how;
	struct tsw_tenant_spec *got;

	/* Of one try: */
	bool chosen; /* the id was, here */
	struct tsw_tenant_spec old, want;
	__s64 modified; /* of the old one's record; 0: there is none */
};

static int random_id(__u32 most, __u32 *id)
{
	__u32 n;

	if (getrandom(&n, sizeof(n), 0) != sizeof(n))
		return fail(errno, "cannot get random octets");
	*id = n % most + 1;
	return 0;
}

/* Ids of all encapsulations are chosen among those that any can have. */
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

/* What is there, and what it is to be. */
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
	if (!err)
		err = rule_burst(&p->want.limits, p->want.mtu);
	return err ?: settle_id(p);
}

/* The claim SEEN on ID is of somebody whose tenant is there, or is an orphan, and then goes. */
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
	return err ?: -EAGAIN; /* it is free now */
}

/* Its own claim without a record: somebody deleted that, or `tenant del` was killed. */
static int take_back(const struct records *r, const struct put *p, const struct seen *seen,
		     __s64 has, struct change *c)
{
	const struct orphan orphan = {p->want.id, p->want.name.s, seen->modified, p->modified};
	int err;

	if (has) {
		change_take_over(c, seen->key, p->want.name.s, seen->modified);
		return 0;
	}
	err = sweep(r, &orphan);
	return err ?: -EAGAIN;
}

/* The id that it is to have becomes its own. */
static int claim_id(const struct records *r, const struct put *p, struct change *c)
{
	const struct record_range endpoints = record_range(r, "e/%u/", p->want.id);
	const struct record_range policies = record_range(r, "policy/%u/", p->want.id);
	cleanup_look struct look look = {};
	char key[MEMBER_KEY], owner[CHANGE_TEXT];
	int err;

	record_key(r, key, "vni/%u", p->want.id);
	look_at(&look, key);
	look_count(&look, &endpoints);
	look_count(&look, &policies);
	err = look_read(r, &look);
	if (err)
		return err;
	if (!look.at[0].value) {
		change_claim(c, key, p->want.name.s);
		return 0;
	}
	claim_read(look.at[0].value, owner, NULL);
	if (strcmp(owner, p->want.name.s))
		return refuse_or_sweep(r, p, &look.at[0]);
	if (p->modified && p->old.id == p->want.id)
		return 0;
	return take_back(r, p, &look.at[0], look.at[1].count + look.at[2].count, c);
}

/* Without endpoints, gateway and policies nothing refers to the id, so it may change. */
static int give_up_id(const struct records *r, const struct put *p, struct change *c)
{
	const struct record_range endpoints = record_range(r, "e/%u/", p->old.id);
	const struct record_range policies = record_range(r, "policy/%u/", p->old.id);
	cleanup_look struct look look = {};
	char key[MEMBER_KEY];
	int err;

	record_key(r, key, "gateway/%s", p->old.name.s);
	look_at(&look, key);
	look_count(&look, &endpoints);
	record_key(r, key, "vni/%u", p->old.id);
	look_at(&look, key);
	look_count(&look, &policies);
	err = look_read(r, &look);
	if (err)
		return err;
	err = rule_renumber(p->old.id, &(struct rule_uses){.endpoints = (__u64)look.at[1].count,
							   .policy = look.at[3].count,
							   .gateway = look.at[0].value});
	if (err)
		return err;
	change_empty(c, endpoints.key, endpoints.end);
	change_empty(c, policies.key, policies.end);
	change_check(c, look.at[0].key, 0);
	sweep_claims(r, c, p->old.id);
	if (look.at[2].value)
		change_del(c, look.at[2].key, look.at[2].modified);
	return 0;
}

static int build(const struct records *r, const struct put *p, struct change *c)
{
	char key[MEMBER_KEY];
	int err = claim_id(r, p, c);

	if (!err && p->modified && p->old.id != p->want.id)
		err = give_up_id(r, p, c);
	if (err)
		return err;
	if (p->modified && !c->n_steps &&
	    fields_equal(tenant_fields, FIELD(TENANT_GATEWAY) - 1, &p->old, &p->want))
		return 0;
	record_pulse(r, c, "tenant/");
	record_key(r, key, "tenant/%s", p->want.name.s);
	return record_put(c, OBJECT_TENANT, key, &p->want, p->modified);
}

/* What an earlier try wrote, or somebody else: it is as it was asked for. */
static bool is_so(const struct put *p)
{
	const __u64 id = p->chosen ? FIELD(TENANT_ID) : 0;

	return p->modified &&
	       fields_equal(tenant_fields, (FIELD(TENANT_GATEWAY) - 1) & ~id, &p->old, &p->want);
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
	struct look counts; /* of their endpoints, in the order of ALL */
	struct tsw_tenant_spec *all;
	size_t n;
	size_t *refused;
};

static int list(void *context, const struct etcd_entry *entry)
{
	const struct seen seen = {.key = (char *)entry->key, .value = (char *)entry->value};
	struct tsw_tenant_spec spec = TSW_TENANT_DEFAULTS, *next;
	struct listing *listing = context;
	struct record_range range;

	if (read_seen(&seen, &spec)) {
		++*listing->refused;
		return 0;
	}
	next = list_grow(&listing->all, &listing->n, sizeof(*next));
	if (!next)
		return -ENOMEM;
	*next = spec;
	range = record_range(listing->r, "e/%u/", spec.id);
	look_count(&listing->counts, &range);
	return 0;
}

int cluster_tenants(const struct records *r, size_t *refused, cluster_each_tenant *each,
		    void *context)
{
	const struct record_range all = record_range(r, "tenant/");
	struct listing listing = {.r = r, .refused = refused};
	__s64 revision = 0;
	size_t i;
	int err = records_each(r, &all, &revision, list, &listing);

	if (!err)
		err = look_read(r, &listing.counts);
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
	struct record_range range;
	int err = cluster_tenant_get(r, name, &spec, NULL);

	if (err)
		return err;
	range = record_range(r, "e/%u/", spec.id);
	look_count(&look, &range);
	err = look_read(r, &look);
	return err ?: each(context, &spec, look.at[0].count);
}
