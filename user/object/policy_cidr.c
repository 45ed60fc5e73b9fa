// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "object/policy_cidr.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

#define TENANT_BITS 32U

struct cidr {
	struct tsw_prefix prefix;
	__u16 number;
};

struct cidrs {
	struct cidr *all;
	size_t n;
};

static bool is_cidr(const struct tsw_policy_end *end)
{
	return end->who & TSW_POLICY_CIDR;
}

static struct tsw_policy_cidr_key key_of(__u32 tenant, const struct tsw_policy_end *end)
{
	return (struct tsw_policy_cidr_key){
		.prefix = TENANT_BITS + end->length, .tenant = tenant, .addr = end->cidr};
}

/* -ENOENT without a message: there is no such network. A trie may also find a wider one. */
static int get(const struct tsw *t, const struct tsw_policy_cidr_key *key,
	       struct tsw_policy_cidr *cidr)
{
	int err = map_get(&t->maps, MAP_POLICY_CIDRS, key, cidr);

	return !err && TENANT_BITS + cidr->length != key->prefix ? -ENOENT : err;
}

/* ---- a new network ---------------------------------------------------------------- */

static int read_all(const struct tsw *t, __u32 tenant, struct cidrs *cidrs)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_POLICY_CIDRS, &rows);

	if (err)
		return err;
	cidrs->all = calloc(rows.n + 2, sizeof(*cidrs->all)); /* 2 for both ends of a new rule */
	if (!cidrs->all)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		const struct tsw_policy_cidr_key *key = row_key(&rows, i);
		const struct tsw_policy_cidr *value = row_value(&rows, i);

		if (key->tenant == tenant)
			cidrs->all[cidrs->n++] = (struct cidr){
				{key->addr, key->prefix - TENANT_BITS}, value->number};
	}
	return 0;
}

static bool contains(const struct tsw_prefix *wide, const struct tsw_prefix *narrow)
{
	return wide->len <= narrow->len && prefix_has(wide, &narrow->addr);
}

/* The number of networks that contain PREFIX, itself included. */
static unsigned int depth(const struct cidrs *cidrs, const struct tsw_prefix *prefix)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < cidrs->n; i++)
		n += contains(&cidrs->all[i].prefix, prefix);
	return n;
}

static int check_nested(const struct cidrs *cidrs, const struct tsw_prefix *prefix)
{
	size_t i;

	for (i = 0; i < cidrs->n; i++)
		if (contains(prefix, &cidrs->all[i].prefix) &&
		    depth(cidrs, &cidrs->all[i].prefix) > TSW_POLICY_NESTED)
			return rule_cidrs_deep(prefix);
	return 0;
}

static __u16 lowest_free(const struct cidrs *cidrs)
{
	bool taken[TSW_POLICY_CIDRS + 1] = {};
	__u16 number = 1;
	size_t i;

	for (i = 0; i < cidrs->n; i++)
		if (cidrs->all[i].number <= TSW_POLICY_CIDRS)
			taken[cidrs->all[i].number] = true;
	while (number <= TSW_POLICY_CIDRS && taken[number])
		number++;
	return number;
}

static int number_end(struct cidrs *cidrs, __u32 tenant, const struct tsw *t,
		      struct tsw_policy_end *end)
{
	struct cidr *one;
	size_t i;

	for (i = 0; i < cidrs->n; i++)
		if (cidrs->all[i].prefix.len == end->length &&
		    addr_equal(&cidrs->all[i].prefix.addr, &end->cidr)) {
			end->who = TSW_POLICY_CIDR | cidrs->all[i].number;
			return 0;
		}
	if (cidrs->n >= TSW_POLICY_CIDRS)
		return rule_cidrs_full(tenant_name_of(t, tenant).s);
	one = &cidrs->all[cidrs->n];
	*one = (struct cidr){{end->cidr, end->length}, lowest_free(cidrs)};
	cidrs->n++;
	end->who = TSW_POLICY_CIDR | one->number;
	return check_nested(cidrs, &one->prefix);
}

/* Sets the number of an end's network; *FRESH is set if that network does not exist yet. */
static int find_end(const struct tsw *t, __u32 tenant, struct tsw_policy_end *end, bool *fresh)
{
	const struct tsw_policy_cidr_key key = key_of(tenant, end);
	struct tsw_policy_cidr cidr;
	int err = is_cidr(end) ? get(t, &key, &cidr) : 0;

	if (err == -ENOENT)
		*fresh = true;
	else if (!err && is_cidr(end))
		end->who = TSW_POLICY_CIDR | cidr.number;
	return err == -ENOENT ? 0 : err;
}

/* Reads all networks of the tenant only if one is new. */
int cidrs_number(const struct tsw *t, __u32 tenant, struct tsw_policy_rule *rule)
{
	struct cidrs cidrs = {};
	bool fresh = false;
	int err = find_end(t, tenant, &rule->from, &fresh);

	err = err ?: find_end(t, tenant, &rule->to, &fresh);
	if (err || !fresh)
		return err;
	err = read_all(t, tenant, &cidrs);
	if (!err && is_cidr(&rule->from))
		err = number_end(&cidrs, tenant, t, &rule->from);
	if (!err && is_cidr(&rule->to))
		err = number_end(&cidrs, tenant, t, &rule->to);
	free(cidrs.all);
	return err;
}

/* ---- counts of rules -------------------------------------------------------------- */

static int count_end(const struct tsw *t, __u32 tenant, const struct tsw_policy_end *end, int more)
{
	const struct tsw_policy_cidr_key key = key_of(tenant, end);
	struct tsw_policy_cidr cidr;
	int err = is_cidr(end) ? get(t, &key, &cidr) : 0;

	if (!is_cidr(end) || (err && err != -ENOENT))
		return err;
	if (err)
		cidr = (struct tsw_policy_cidr){.number = end->who & ~TSW_POLICY_CIDR,
						.length = end->length};
	cidr.refs += (__u32)more;
	if ((__s32)cidr.refs <= 0)
		return map_del(&t->maps, MAP_POLICY_CIDRS, &key);
	return map_put(&t->maps, MAP_POLICY_CIDRS, &key, &cidr);
}

static int count(const struct tsw *t, __u32 tenant, const struct tsw_policy_rule *rule, int more)
{
	int err = count_end(t, tenant, &rule->from, more);

	return err ?: count_end(t, tenant, &rule->to, more);
}

int cidrs_take(const struct tsw *t, __u32 tenant, const struct tsw_policy_rule *rule)
{
	return count(t, tenant, rule, 1);
}

int cidrs_give_up(const struct tsw *t, __u32 tenant, const struct tsw_policy_rule *rule)
{
	return count(t, tenant, rule, -1);
}

/* ---- after a kill ----------------------------------------------------------------- */

struct need {
	struct tsw_policy_cidr_key key;
	struct tsw_policy_cidr cidr;
};

static int compare_needs(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tsw_policy_cidr_key));
}

/* Lists the networks that rules name, each once, with the number of ends that name it. */
static size_t find_needs(const struct rows *rules, struct need *need)
{
	size_t n = 0, out = 0, i;
	int k;

	for (i = 0; i < rules->n; i++) {
		const __u32 tenant = ((const struct tsw_policy_name *)row_key(rules, i))->tenant;
		const struct tsw_policy_rule *rule = row_value(rules, i);
		const struct tsw_policy_end *end[] = {&rule->from, &rule->to};

		for (k = 0; k < 2; k++)
			if (is_cidr(end[k]))
				need[n++] = (struct need){key_of(tenant, end[k]),
							  {end[k]->who & ~TSW_POLICY_CIDR,
							   end[k]->length, 1}};
	}
	qsort(need, n, sizeof(*need), compare_needs);
	for (i = 0; i < n; i++)
		if (out && !compare_needs(&need[out - 1], &need[i]))
			need[out - 1].cidr.refs++;
		else
			need[out++] = need[i];
	return out;
}

int cidrs_restore(const struct tsw *t, const struct rows *rules)
{
	struct need *need = calloc(2 * rules->n + 1, sizeof(*need));
	struct tsw_policy_cidr cidr;
	size_t n, i;
	int err = need ? 0 : fail_memory();

	n = err ? 0 : find_needs(rules, need);
	for (i = 0; !err && i < n; i++) {
		err = get(t, &need[i].key, &cidr);
		if (err == -ENOENT || (!err && memcmp(&cidr, &need[i].cidr, sizeof(cidr)) != 0))
			err = map_put(&t->maps, MAP_POLICY_CIDRS, &need[i].key, &need[i].cidr);
	}
	free(need);
	return err;
}

int cidrs_drop(const struct tsw *t, const struct rows *rules)
{
	struct need *need = calloc(2 * rules->n + 1, sizeof(*need));
	cleanup_rows struct rows rows = {};
	size_t n, i;
	int err = need ? map_row_keys(&t->maps, MAP_POLICY_CIDRS, &rows) : fail_memory();

	n = err ? 0 : find_needs(rules, need);
	for (i = 0; !err && i < rows.n; i++)
		if (!n || !bsearch(row_key(&rows, i), need, n, sizeof(*need), compare_needs))
			err = map_del_any(&t->maps, MAP_POLICY_CIDRS, row_key(&rows, i));
	free(need);
	return err;
}
