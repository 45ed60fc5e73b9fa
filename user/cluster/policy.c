// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cluster/change.h"
#include "cluster/group.h"
#include "cluster/policy.h"
#include "record/fields.h"
#include "record/policy_spec.h"

struct put {
	const struct tsw_name *of;
	const struct tsw_policy_spec *spec;
	__u64 given;
	enum spec_how how;

	/* Of one try: */
	struct look look; /* the AT_ keys */
	struct tsw_tenant_spec tenant;
	struct tsw_policy_spec old, want; /* before and after the change */
	__s64 modified;			  /* revision of OLD's record; 0: it does not exist */
};

enum { AT_VNI, AT_RULE, AT_COUNT };

static int read_rule(const struct seen *seen, struct tsw_policy_spec *spec)
{
	*spec = (struct tsw_policy_spec)TSW_POLICY_DEFAULTS;
	return record_read_at(OBJECT_POLICY, seen->key, seen->value, spec);
}

/* Reads the rule, which need not exist. */
static int load(const struct records *r, struct put *p)
{
	int err;

	look_end(&p->look);
	p->modified = 0;
	err = policy_begin(r, p->of, &p->tenant, &p->look);
	if (err)
		return err;
	look_at(&p->look, r, "policy/%u/rule/%s", p->tenant.id, p->spec->name.s);
	look_count(&p->look, r, "policy/%u/rule/", p->tenant.id);
	err = look_read(r, &p->look);
	if (err)
		return err;
	p->modified = p->look.at[AT_RULE].modified;
	return p->modified ? read_rule(&p->look.at[AT_RULE], &p->old) : 0;
}

/* ---- the rule as asked for -------------------------------------------------------- */

static int settle(struct put *p, bool again)
{
	if (p->modified && p->how == SPEC_ADD && !again)
		return rule_has(p->of->s, "a policy", p->spec->name.s);
	if (!p->modified && p->how == SPEC_SET)
		return rule_lacks(p->of->s, "policy", p->spec->name.s);
	p->want = (struct tsw_policy_spec)TSW_POLICY_DEFAULTS;
	if (p->how == SPEC_SET)
		p->want = p->old;
	p->want.name = p->spec->name;
	policy_spec_take(p->spec, p->given & ~FIELD(POLICY_NAME), &p->want);
	if (!p->modified && p->look.at[AT_COUNT].count >= POLICY_RULES)
		return rule_policies_full(p->of->s);
	return policy_spec_check(&p->want);
}

/* Does the change bring a network, as the source or the destination? */
static bool brings_cidr(const struct put *p)
{
	const __u64 ends = FIELD(POLICY_FROM) | FIELD(POLICY_TO);

	return (p->want.from.who == TSW_WHO_CIDR || p->want.to.who == TSW_WHO_CIDR) &&
	       !(p->modified && fields_equal(policy_fields, ends, &p->old, &p->want));
}

/* Checks the number of networks in all rules, which must stay unchanged until the commit. */
static int check_cidrs(const struct records *r, const struct put *p, struct change *c)
{
	struct policy_records all = {};
	struct tsw_prefix *cidr = NULL;
	const struct tsw_prefix *at;
	enum policy_excess excess;
	size_t n = 0, i;
	int err = policy_records_read(r, c, p->tenant.id, &all);

	if (!err) {
		cidr = calloc(2 * (all.n_rules + 1), sizeof(*cidr));
		err = cidr ? 0 : fail_memory();
	}
	for (i = 0; !err && i < all.n_rules; i++)
		if (strcmp(all.rule[i].spec.name.s, p->want.name.s))
			n = policy_spec_cidrs(&all.rule[i].spec, cidr, n);
	if (!err) {
		n = policy_spec_cidrs(&p->want, cidr, n);
		excess = policy_cidrs_excess(cidr, n, &at);
		if (excess == POLICY_MANY_CIDRS)
			err = rule_cidrs_full(p->of->s);
		else if (excess == POLICY_DEEP_CIDRS)
			err = rule_cidrs_deep(at);
	}
	free(cidr);
	policy_records_free(&all);
	return err;
}

/* ---- the change ------------------------------------------------------------------- */

/* The groups that the rule names must exist, and stay unchanged until the commit. */
static int need_groups(const struct records *r, struct put *p, struct change *c)
{
	const struct tsw_policy_who *const ends[] = {&p->want.from, &p->want.to};
	cleanup_look struct look look = {};
	size_t i;
	int err;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (ends[i]->who == TSW_WHO_GROUP)
			group_look(r, p->tenant.id, &ends[i]->group, &look);
	err = look_read(r, &look);
	for (i = 0; !err && i < look.n; i++)
		err = group_need(c, &look.at[i], p->of);
	return err;
}

static int put_rule(struct records *r, struct put *p, bool again, struct change *c)
{
	int err = policy_change(r, &p->tenant, &p->look, again, c);

	err = err ?: need_groups(r, p, c);
	if (!err && brings_cidr(p))
		err = check_cidrs(r, p, c);
	return err ?: record_put(c, OBJECT_POLICY, p->look.at[AT_RULE].key, &p->want, p->modified);
}

static int put_once(struct records *r, void *context, bool again, struct change *c)
{
	struct put *p = context;
	bool same;
	int err = load(r, p);

	err = err ?: settle(p, again);
	if (err)
		return err;
	same = p->modified && fields_equal(policy_fields, ~0ULL, &p->old, &p->want);
	if (p->modified && p->how == SPEC_ADD && !same) /* not by an earlier try */
		return settle(p, false);
	return same ? 0 : put_rule(r, p, again, c);
}

int cluster_policy_put(struct records *r, const struct tsw_name *tenant,
		       const struct tsw_policy_spec *spec, __u64 given, enum spec_how how)
{
	struct put p = {.of = tenant, .spec = spec, .given = given, .how = how};
	int err = record_change(r, put_once, NULL, &p);

	look_end(&p.look);
	return err;
}

static int del_once(struct records *r, void *context, bool again, struct change *c)
{
	struct put *p = context;
	int err = load(r, p);

	/* An invalid record can be deleted, too. */
	if (err && !(err == -EINVAL && p->modified))
		return err;
	if (!p->modified)
		return again ? 0 : rule_lacks(p->of->s, "policy", p->spec->name.s);
	err = policy_change(r, &p->tenant, &p->look, again, c);
	if (!err)
		change_del(c, p->look.at[AT_RULE].key, p->modified);
	return err;
}

int cluster_policy_del(struct records *r, const struct tsw_name *tenant,
		       const struct tsw_name *name)
{
	const struct tsw_policy_spec spec = {.name = *name};
	struct put p = {.of = tenant, .spec = &spec};
	int err = record_change(r, del_once, NULL, &p);

	look_end(&p.look);
	return err;
}
