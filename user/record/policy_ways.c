// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "record/policy_ways.h"

enum { PORT_BITS = 16 };

unsigned int policy_rule_ways(__u32 tenant, const struct tsw_policy_rule *rule,
			      struct tsw_policy_way_key key[POLICY_RULE_WAYS])
{
	const struct tsw_policy_way_key whole = {
		.tenant = tenant, .from = rule->from.who, .to = rule->to.who, .proto = rule->proto};
	__u32 first = rule->first, size;
	unsigned int n = 0;

	key[n] = whole;
	if (!rule->first)
		return 1;
	/* Each prefix is the widest that starts at `first` and does not pass the last port. */
	for (; first <= rule->last && n < POLICY_RULE_WAYS; first += size) {
		key[n] = whole;
		key[n].length = PORT_BITS;
		key[n].port = htons((__u16)first);
		for (size = 1; !(first & size) && first + 2 * size - 1 <= rule->last; size *= 2)
			key[n].length--;
		n++;
	}
	return n;
}

struct tsw_policy_choice policy_rule_choice(const struct tsw_policy_rule *rule)
{
	return (struct tsw_policy_choice){.number = rule->number,
					  .weight = TSW_POLICY_WEIGHT(rule->priority, rule->action,
								      rule->flags & TSW_RULE_LOG)};
}

bool policy_is_better(const struct tsw_policy_choice *a, const struct tsw_policy_choice *b)
{
	if (!a->number || !b->number)
		return a->number;
	return a->weight > b->weight || (a->weight == b->weight && a->number < b->number);
}

bool policy_same_choice(const struct tsw_policy_choice *a, const struct tsw_policy_choice *b)
{
	return a->number == b->number && a->weight == b->weight;
}

const struct tsw_policy_choice *policy_way_now(const struct tsw_policy_way *way, __u32 generation)
{
	return (__s32)(way->generation - generation) <= 0 ? &way->then : &way->now;
}

static int compare_keys(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tsw_policy_way_key));
}

/* Sorts by key; among equal keys the choice that decides comes first. */
static int compare(const void *a, const void *b)
{
	const struct policy_way *x = a, *y = b;
	const int order = compare_keys(&x->key, &y->key);

	return order ?: policy_is_better(&x->choice, &y->choice) ? -1 : 1;
}

/* Keeps the first way of each key. */
static void drop_others(struct policy_ways *ways)
{
	size_t n = 0, i;

	for (i = 0; i < ways->n; i++)
		if (!n || compare_keys(&ways->all[n - 1].key, &ways->all[i].key))
			ways->all[n++] = ways->all[i];
	ways->n = n;
}

int policy_ways_make(const struct rows *rules, struct policy_ways *ways)
{
	struct tsw_policy_way_key key[POLICY_RULE_WAYS];
	size_t room = 0, i;
	unsigned int n, k;

	for (i = 0; i < rules->n; i++)
		room += policy_rule_ways(0, row_value(rules, i), key);
	*ways = (struct policy_ways){.all = calloc(room + 1, sizeof(*ways->all))};
	if (!ways->all)
		return fail_memory();
	for (i = 0; i < rules->n; i++) {
		const struct tsw_policy_name *name = row_key(rules, i);
		const struct tsw_policy_rule *rule = row_value(rules, i);

		n = policy_rule_ways(name->tenant, rule, key);
		for (k = 0; k < n; k++)
			ways->all[ways->n++] =
				(struct policy_way){key[k], policy_rule_choice(rule)};
	}
	qsort(ways->all, ways->n, sizeof(*ways->all), compare);
	drop_others(ways);
	return 0;
}

void policy_ways_free(struct policy_ways *ways)
{
	free(ways->all);
}

struct tsw_policy_choice policy_ways_find(const struct policy_ways *ways,
					  const struct tsw_policy_way_key *key)
{
	const struct policy_way *found =
		ways->n ? bsearch(key, ways->all, ways->n, sizeof(*ways->all), compare_keys) : NULL;

	return found ? found->choice : (struct tsw_policy_choice){};
}

__u32 policy_ways_lengths(const struct policy_ways *ways, __u32 tenant)
{
	__u32 lengths = 0;
	size_t i;

	for (i = 0; i < ways->n; i++)
		if (ways->all[i].key.tenant == tenant)
			lengths |= 1U << ways->all[i].key.length;
	return lengths;
}
