// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "object/policy.h"
#include "object/policy_change.h"
#include "object/policy_cidr.h"
#include "record/policy_spec.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

/* ---- numbers ---------------------------------------------------------------------- */

/* A number is taken if it has an entry in tsw_policy_hits, because each rule has one. */
static int is_taken(const struct tsw *t, __u32 tenant, __u32 number, bool *taken)
{
	const struct tsw_policy_hit_key key = {tenant, number};
	struct tsw_counter unused;
	int err = map_sum(&t->maps, MAP_POLICY_HITS, &key, &unused);

	*taken = !err;
	return err == -ENOENT ? 0 : err;
}

/*
 * Finds a free number that follows a taken one, by bisection. The result may exceed POLICY_RULES
 * although a lower number is free.
 */
static int guess_number(const struct tsw *t, __u32 tenant, __u32 *number)
{
	__u32 low = 0, high = 1, middle;
	bool taken;
	int err = is_taken(t, tenant, high, &taken);

	while (!err && taken) {
		low = high;
		high *= 2;
		err = is_taken(t, tenant, high, &taken);
	}
	while (!err && high - low > 1) {
		middle = low + (high - low) / 2;
		err = is_taken(t, tenant, middle, &taken);
		*(taken ? &low : &high) = middle;
	}
	*number = high;
	return err;
}

/* Finds the lowest free number in the rules themselves. */
static int search_number(const struct tsw *t, __u32 tenant, __u32 *number)
{
	cleanup_rows struct rows rows = {};
	char taken[POLICY_RULES + 1] = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_POLICY_RULES, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_policy_name *name = row_key(&rows, i);
		const struct tsw_policy_rule *rule = row_value(&rows, i);

		if (name->tenant == tenant && rule->number <= POLICY_RULES)
			taken[rule->number] = 1;
	}
	for (*number = 1; !err && *number <= POLICY_RULES; ++*number)
		if (!taken[*number])
			return 0;
	if (err)
		return err;
	return rule_policies_full(tenant_name_of(t, tenant).s);
}

static int choose_number(const struct tsw *t, __u32 tenant, __u32 *number)
{
	int err = guess_number(t, tenant, number);

	return !err && *number > POLICY_RULES ? search_number(t, tenant, number) : err;
}

/* ---- plan of a change ------------------------------------------------------------- */

/* The ways of the old and the new rule, and the choice that is to be in force at each. */
struct affected {
	struct tsw_policy_way_key key[2 * POLICY_RULE_WAYS];
	struct tsw_policy_choice choice[2 * POLICY_RULE_WAYS];
	unsigned int n;
};

static void affect(struct affected *a, const struct tsw_policy_way_key *key, unsigned int n)
{
	unsigned int i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < a->n && memcmp(&a->key[k], &key[i], sizeof(key[i])) != 0; k++)
			;
		if (k == a->n)
			a->key[a->n++] = key[i];
	}
}

/* RULE takes each way where it is better than the present choice. */
static void offer(struct affected *a, __u32 tenant, const struct tsw_policy_rule *rule)
{
	const struct tsw_policy_choice choice = policy_rule_choice(rule);
	struct tsw_policy_way_key key[POLICY_RULE_WAYS];
	const unsigned int n = policy_rule_ways(tenant, rule, key);
	unsigned int i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < a->n; k++)
			if (!memcmp(&a->key[k], &key[i], sizeof(key[i])) &&
			    policy_is_better(&choice, &a->choice[k]))
				a->choice[k] = choice;
}

static bool same_ends(const struct tsw_policy_rule *a, const struct tsw_policy_rule *b)
{
	return a->from.who == b->from.who && a->to.who == b->to.who && a->proto == b->proto;
}

/*
 * Offers all rules except the one that is called NAME. *LENGTHS gets the lengths of the ways that
 * remain. OLD is that rule before the change, WANT after it, or NULL if it goes.
 */
static int offer_others(const struct tsw *t, const struct tsw_policy_name *name,
			const struct tsw_policy_rule *old, const struct tsw_policy_rule *want,
			struct affected *a, __u32 *lengths)
{
	struct tsw_policy_way_key key[POLICY_RULE_WAYS];
	cleanup_rows struct rows rows = {};
	unsigned int n;
	size_t i;
	int err = map_rows(&t->maps, MAP_POLICY_RULES, &rows);

	*lengths = 0;
	for (i = 0; !err && i <= rows.n; i++) {
		const bool last = i == rows.n; /* WANT comes after all rows */
		const struct tsw_policy_name *its = last ? name : row_key(&rows, i);
		const struct tsw_policy_rule *rule = last ? want : row_value(&rows, i);

		if (!rule || its->tenant != name->tenant ||
		    (!last && !memcmp(its, name, sizeof(*its))))
			continue;
		for (n = policy_rule_ways(its->tenant, rule, key); n--;)
			*lengths |= 1U << key[n].length;
		if (!last && (same_ends(rule, old) || (want && same_ends(rule, want))))
			offer(a, its->tenant, rule);
	}
	return err;
}

/* Offers the choices in force, which all stay if no rule goes. */
static int offer_present(const struct tsw *t, const struct policy_change *c, struct affected *a)
{
	unsigned int k;
	int err = 0;

	for (k = 0; !err && k < a->n; k++)
		err = policy_choice_now(t, c, &a->key[k], &a->choice[k]);
	return err;
}

/* WANT, or OLD, may be NULL. */
static int plan(const struct tsw *t, const struct tsw_policy_name *name,
		const struct tsw_policy_rule *old, const struct tsw_policy_rule *want,
		struct policy_change *c, __u32 *lengths)
{
	struct tsw_policy_way_key key[POLICY_RULE_WAYS];
	struct tsw_policy_choice was;
	struct affected a = {};
	unsigned int k;
	int err;

	if (old)
		affect(&a, key, policy_rule_ways(name->tenant, old, key));
	if (want)
		affect(&a, key, policy_rule_ways(name->tenant, want, key));
	*lengths = c->policy.lengths;
	for (k = 0; k < a.n; k++)
		*lengths |= want ? 1U << a.key[k].length : 0;
	err = old ? offer_others(t, name, old, want, &a, lengths) : offer_present(t, c, &a);
	if (!err && want)
		offer(&a, name->tenant, want);
	for (k = 0; !err && k < a.n; k++) {
		err = policy_choice_now(t, c, &a.key[k], &was);
		err = err ?: policy_change_add(c, &a.key[k], &was, &a.choice[k]);
	}
	return err;
}

/* ---- commands --------------------------------------------------------------------- */

/* Makes a rule's networks and its counter before the rule itself. */
static int prepare(const struct tsw *t, const struct tsw_policy_name *name, bool fresh,
		   const struct tsw_policy_rule *want)
{
	const struct tsw_policy_hit_key key = {name->tenant, want->number};
	int err = cidrs_take(t, name->tenant, want);

	return !err && fresh ? map_zero(&t->maps, MAP_POLICY_HITS, &key) : err;
}

int policy_rule_put(struct tsw *t, const struct tsw_policy_name *name,
		    const struct tsw_policy_rule *old, const struct tsw_policy_rule *want)
{
	cleanup_policy_change struct policy_change c = {};
	struct tsw_policy_rule rule = *want;
	__u32 lengths;
	int err = cidrs_number(t, name->tenant, &rule);

	rule.number = old ? old->number : 0;
	if (!err && !old)
		err = choose_number(t, name->tenant, &rule.number);
	if (!err && old && !memcmp(old, &rule, sizeof(rule)))
		return 0;
	err = err ?: policy_change_begin(t, name->tenant, &c);
	err = err ?: plan(t, name, old, &rule, &c, &lengths);
	if (err)
		return err;
	err = prepare(t, name, !old, &rule);
	err = err ?: policy_change_write(t, &c);
	err = err ?: map_put(&t->maps, MAP_POLICY_RULES, name, &rule);
	err = err ?: policy_change_commit(t, &c, lengths);
	if (!err && old)
		err = cidrs_give_up(t, name->tenant, old);
	return err ? mark_torn(t) : 0;
}

int policy_rule_del(struct tsw *t, const struct tsw_policy_name *name,
		    const struct tsw_policy_rule *old)
{
	const struct tsw_policy_hit_key hits = {name->tenant, old->number};
	cleanup_policy_change struct policy_change c = {};
	__u32 lengths;
	int err = policy_change_begin(t, name->tenant, &c);

	err = err ?: plan(t, name, old, NULL, &c, &lengths);
	if (err)
		return err;
	err = policy_change_write(t, &c);
	/* The record goes first: after a kill from here on the rule stays deleted. */
	err = err ?: map_del(&t->maps, MAP_POLICY_RULES, name);
	err = err ?: policy_change_commit(t, &c, lengths);
	err = err ?: cidrs_give_up(t, name->tenant, old);
	err = err ?: map_del(&t->maps, MAP_POLICY_HITS, &hits);
	return err ? mark_torn(t) : 0;
}
