// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/desired_keys.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/key.h"
#include "base/text.h"
#include "cluster/member.h"

struct keyed {
	struct tsw_key key;
	__u32 host; /* its index in the state */
};

static int compare(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	return memcmp(x->key.octet, y->key.octet, sizeof(x->key.octet));
}

/* How sure is it that KEY is HOST's? 2: HOST is this host; 1: the switch knows HOST by KEY. */
static int rank_of(const struct desired *w, const struct tsw_host_spec *host,
		   const struct tsw_key *key)
{
	const __u32 found = w->have ? state_find_host(w->have, host->name.s) : STATE_NONE;
	const struct tsw_key_list *its;
	__u32 i;

	if (!strcmp(host->name.s, w->host))
		return 2;
	its = found == STATE_NONE ? NULL : &w->have->host[found].spec.key;
	for (i = 0; its && i < its->n; i++)
		if (key_equal(its->at[i].octet, key->octet))
			return 1;
	return 0;
}

static const struct record *record_of(const struct desired *w, const struct tsw_host_spec *host)
{
	char key[MEMBER_KEY];

	snprintf(key, sizeof(key), "host/%s", host->name.s);
	return record_set_find(w->records, key);
}

/* Does KEY belong to host A rather than to B? */
static bool is_first(const struct desired *w, const struct tsw_host_spec *a,
		     const struct tsw_host_spec *b, const struct tsw_key *key)
{
	const int of_a = rank_of(w, a, key), of_b = rank_of(w, b, key);

	if (of_a != of_b)
		return of_a > of_b;
	return record_of(w, a)->modified < record_of(w, b)->modified;
}

/* After sorting, equal keys are neighbours. The winner of a pair is compared with the next. */
static void find_copies(const struct desired *w, const struct state *s, struct keyed *all, size_t n,
			bool *copy)
{
	const struct tsw_host_spec *a, *b;
	__u32 loser;
	size_t i;

	qsort(all, n, sizeof(*all), compare);
	for (i = 1; i < n; i++) {
		if (compare(&all[i - 1], &all[i]) || all[i - 1].host == all[i].host)
			continue;
		a = &s->host[all[i - 1].host].spec;
		b = &s->host[all[i].host].spec;
		loser = all[i - 1].host;
		if (is_first(w, a, b, &all[i].key)) {
			loser = all[i].host;
			all[i].host = all[i - 1].host;
		}
		copy[loser] = true;
		fail(EEXIST, "%s is already host %s's key", quoted(key_text(all[i].key.octet)),
		     quoted(s->host[all[i].host].spec.name.s));
		w->refused(w->context, record_of(w, &s->host[loser].spec)->key);
	}
}

int desired_keys(const struct desired *w, struct state *s)
{
	cleanup_free struct keyed *all = calloc(s->n_hosts * TSW_CRYPT_PARITIES + 1, sizeof(*all));
	cleanup_free bool *copy = calloc(s->n_hosts + 1, sizeof(*copy));
	size_t n = 0, left = 0, i;
	__u32 k;

	if (!all || !copy)
		return fail_memory();
	for (i = 0; i < s->n_hosts; i++)
		for (k = 0; k < s->host[i].spec.key.n; k++)
			all[n++] = (struct keyed){s->host[i].spec.key.at[k], (__u32)i};
	find_copies(w, s, all, n, copy);
	for (i = 0; i < s->n_hosts; i++)
		if (!copy[i])
			s->host[left++] = s->host[i];
	s->n_hosts = left;
	return 0;
}
