// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/problem.h"
#include "object/flood_list.h"
#include "object/install.h"

static __u32 member_of(const struct tsw_fdb *at)
{
	return at->place == TSW_PLACE_HOST ? TSW_MEMBER_HOST | at->id : at->id;
}

static __u32 head_of(__u32 member)
{
	return member & TSW_MEMBER_HOST ? TSW_MEMBER_HOSTS : TSW_MEMBER_PORTS;
}

static int get(const struct tsw *t, __u32 tenant, __u32 member, struct tsw_group *node)
{
	const struct tsw_group_key key = {.tenant = tenant, .member = member};

	return map_get(&t->maps, MAP_GROUPS, &key, node);
}

static int put(const struct tsw *t, __u32 tenant, __u32 member, const struct tsw_group *node)
{
	const struct tsw_group_key key = {.tenant = tenant, .member = member};

	return map_put(&t->maps, MAP_GROUPS, &key, node);
}

static int del(const struct tsw *t, __u32 tenant, __u32 member)
{
	const struct tsw_group_key key = {.tenant = tenant, .member = member};

	return map_del(&t->maps, MAP_GROUPS, &key);
}

static int make_head(const struct tsw *t, __u32 tenant, __u32 head)
{
	struct tsw_group node;
	int err = get(t, tenant, head, &node);

	if (err != -ENOENT)
		return err;
	return put(t, tenant, head, &(struct tsw_group){.next = head, .prev = head});
}

int flood_lists_make(const struct tsw *t, __u32 tenant)
{
	int err = make_head(t, tenant, TSW_MEMBER_PORTS);

	return err ?: make_head(t, tenant, TSW_MEMBER_HOSTS);
}

int flood_lists_remove(const struct tsw *t, __u32 tenant)
{
	int err = del(t, tenant, TSW_MEMBER_PORTS);

	return err ?: del(t, tenant, TSW_MEMBER_HOSTS);
}

/* ERR is why a member could not be read; -ENOENT means that the list leads to a missing one. */
static int torn(__u32 tenant, int err)
{
	if (err != -ENOENT)
		return err;
	return fail(EIO, "the flood list of tenant id %u is damaged", tenant);
}

/* The next member of PREV becomes TO. Programs follow only this link. */
static int set_next(const struct tsw *t, __u32 tenant, __u32 prev, __u32 to)
{
	struct tsw_group node;
	int err = get(t, tenant, prev, &node);

	node.next = to;
	return err ? torn(tenant, err) : put(t, tenant, prev, &node);
}

static int set_prev(const struct tsw *t, __u32 tenant, __u32 next, __u32 to)
{
	struct tsw_group node;
	int err = get(t, tenant, next, &node);

	node.prev = to;
	return err ? torn(tenant, err) : put(t, tenant, next, &node);
}

/* Writes the whole node before the list leads to it. */
static int insert(const struct tsw *t, __u32 tenant, __u32 member)
{
	struct tsw_group head, node;
	int err = get(t, tenant, head_of(member), &head);

	if (err)
		return torn(tenant, err);
	node = (struct tsw_group){.next = head_of(member), .prev = head.prev, .refs = 1};
	err = put(t, tenant, member, &node);
	err = err ?: set_next(t, tenant, node.prev, member);
	return err ?: set_prev(t, tenant, node.next, member);
}

int flood_list_join(const struct tsw *t, __u32 tenant, const struct tsw_fdb *at)
{
	__u32 member = member_of(at);
	struct tsw_group node;
	int err = get(t, tenant, member, &node);

	if (err == -ENOENT)
		return insert(t, tenant, member);
	if (err)
		return err;
	node.refs++;
	return put(t, tenant, member, &node);
}

int flood_list_leave(const struct tsw *t, __u32 tenant, const struct tsw_fdb *at)
{
	__u32 member = member_of(at);
	struct tsw_group node;
	int err = get(t, tenant, member, &node);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (node.refs > 1) {
		node.refs--;
		return put(t, tenant, member, &node);
	}
	err = set_next(t, tenant, node.prev, node.next);
	err = err ?: set_prev(t, tenant, node.next, node.prev);
	return err ?: del(t, tenant, member);
}

struct member {
	struct tsw_group_key key;
	__u32 refs;
};

/* A head sorts before its members: its number is 0, or TSW_MEMBER_HOST alone. */
static int compare(const void *a, const void *b)
{
	const struct tsw_group_key *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	return x->member < y->member ? -1 : x->member > y->member;
}

/* Lists all members that tsw_fdb asks for, sorted, each once. The caller frees *LISTED. */
static int wanted_members(const struct rows *tenants, const struct rows *fdb,
			  const struct rows *moves, struct member **listed, size_t *listed_n)
{
	struct member *all = calloc(2 * tenants->n + fdb->n + moves->n + 1, sizeof(*all));
	struct tsw_fdb place[PLACES];
	size_t n = 0, out = 0, i;
	unsigned int places, k;

	if (!all)
		return fail_memory();
	for (i = 0; i < tenants->n; i++) {
		const __u32 *tenant = row_key(tenants, i);

		all[n++] = (struct member){{*tenant, TSW_MEMBER_PORTS}, 0};
		all[n++] = (struct member){{*tenant, TSW_MEMBER_HOSTS}, 0};
	}
	for (i = 0; i < fdb->n; i++) {
		const struct tsw_fdb_key *key = row_key(fdb, i);
		const struct tsw_fdb *at = row_value(fdb, i);

		if (at->place == TSW_PLACE_GATEWAY || !memcmp(at, &fdb_nowhere, sizeof(*at)))
			continue;
		places = places_of(at, moves_find(moves, key), place);
		for (k = 0; k < places; k++)
			all[n++] = (struct member){{key->tenant, member_of(&place[k])}, 1};
	}
	qsort(all, n, sizeof(*all), compare);
	for (i = 1; i < n; i++) {
		if (compare(&all[out], &all[i]))
			all[++out] = all[i];
		else
			all[out].refs += all[i].refs;
	}
	*listed = all;
	*listed_n = n ? out + 1 : 0;
	return 0;
}

/* Writes the members from FIRST to END - 1 as one list, the last first: each next is there. */
static int write_list(const struct tsw *t, const struct member *all, size_t first, size_t end)
{
	struct tsw_group node;
	size_t i;
	int err;

	for (i = end; i-- > first;) {
		node = (struct tsw_group){
			.next = all[i + 1 < end ? i + 1 : first].key.member,
			.prev = all[i > first ? i - 1 : end - 1].key.member,
			.refs = all[i].refs,
		};
		err = put(t, all[i].key.tenant, all[i].key.member, &node);
		if (err)
			return err;
	}
	return 0;
}

/* Where the list that begins at FIRST ends. */
static size_t list_end(const struct member *all, size_t n, size_t first)
{
	const struct member *a = &all[first];
	size_t end = first + 1;

	while (end < n && a->key.tenant == all[end].key.tenant &&
	       head_of(a->key.member) == head_of(all[end].key.member))
		end++;
	return end;
}

/* A list without its head belongs to a tenant that does not exist any more. */
static bool has_head(const struct member *first)
{
	return first->key.member == head_of(first->key.member);
}

static int write_all(const struct tsw *t, const struct member *all, size_t n)
{
	size_t first = 0, end;
	int err = 0;

	for (; !err && first < n; first = end) {
		end = list_end(all, n, first);
		if (has_head(&all[first]))
			err = write_list(t, all, first, end);
	}
	return err;
}

static int drop_others(const struct tsw *t, const struct member *all, size_t n)
{
	cleanup_rows struct rows groups = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_GROUPS, &groups);

	for (i = 0; !err && i < groups.n; i++)
		if (!bsearch(row_key(&groups, i), all, n, sizeof(*all), compare))
			err = map_del(&t->maps, MAP_GROUPS, row_key(&groups, i));
	return err;
}

/* Tells whether the list has exactly these members, each with its endpoints counted. */
static bool list_is_whole(const struct snapshot *s, const struct member *all, size_t first,
			  size_t end)
{
	struct tsw_group_key key = all[first].key;
	const struct tsw_group *node, *next;
	const struct member *wanted;
	size_t n = 0;

	do {
		node = snapshot_get(s, MAP_GROUPS, &key);
		wanted = bsearch(&key, &all[first], end - first, sizeof(*all), compare);
		if (!node || !wanted || node->refs != wanted->refs)
			return false;
		next = snapshot_get(s, MAP_GROUPS, &(struct tsw_group_key){key.tenant, node->next});
		if (!next || next->prev != key.member)
			return false;
		key.member = node->next;
	} while (++n < end - first && key.member != all[first].key.member);
	return n == end - first && key.member == all[first].key.member;
}

int flood_lists_check(const struct snapshot *s, json_t *problems)
{
	const struct rows *tenants = &s->rows[MAP_TENANTS], *fdb = &s->rows[MAP_FDB];
	const struct rows *moves = &s->rows[MAP_MOVES];
	struct member *all;
	size_t n, first, end, whole = 0;
	int err = wanted_members(tenants, fdb, moves, &all, &n);

	if (err)
		return err;
	for (first = 0; first < n; first = end) {
		end = list_end(all, n, first);
		if (!has_head(&all[first]))
			continue;
		whole += end - first;
		if (!list_is_whole(s, all, first, end))
			problem(problems, "broadcast_group",
				snapshot_tenant(s, all[first].key.tenant),
				"the list of its %s that get broadcast is damaged",
				all[first].key.member & TSW_MEMBER_HOST ? "hosts" : "ports");
	}
	if (s->rows[MAP_GROUPS].n > whole)
		problem(problems, "stray_entry", "tsw_groups",
			"%zu entries belong to no tenant or to no endpoint",
			s->rows[MAP_GROUPS].n - whole);
	free(all);
	return 0;
}

int flood_lists_rebuild(const struct tsw *t)
{
	cleanup_rows struct rows tenants = {}, fdb = {}, moves = {};
	struct member *all = NULL;
	size_t n;
	int err = map_rows(&t->maps, MAP_TENANTS, &tenants);

	err = err ?: map_rows(&t->maps, MAP_FDB, &fdb);
	err = err ?: map_rows(&t->maps, MAP_MOVES, &moves);
	err = err ?: wanted_members(&tenants, &fdb, &moves, &all, &n);
	err = err ?: write_all(t, all, n);
	err = err ?: drop_others(t, all, n);
	free(all);
	return err;
}
