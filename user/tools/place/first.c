// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/place/first.h"

enum { BAND = 10, FLOOR = 10 }; /* divisors: a tenth each, see first.h */

#define NONE (~0U)

/* Loads times weights: 2^64 octets, 2^20 tenants and weights of 2^32 stay below 2^127. */
typedef __int128 wide;

/* A host; sorted by name. */
struct bin {
	wide load;
	__u32 weight;
	__u32 first; /* its lightest tenant, or NONE */
	bool stuck;  /* at the last try no move from here helped */
	__u32 host;  /* the caller's number */
};

/* A tenant; sorted by load, then id. */
struct ball {
	__u64 load;
	__u32 id;
	__u32 from;   /* bin, or NONE */
	__u32 at;     /* bin */
	__u32 next;   /* in that bin */
	__u32 tenant; /* the caller's number */
};

struct spread {
	struct bin *bin;
	struct ball *ball;
	__u32 bins;
	__u32 balls;
	wide load;   /* of all */
	wide weight; /* of all */
};

static int compare_hosts(const void *a, const void *b, void *data)
{
	const struct place_host *hosts = data;
	const struct bin *x = a, *y = b;

	return strcmp(hosts[x->host].name, hosts[y->host].name);
}

static int compare_balls(const void *a, const void *b)
{
	const struct ball *x = a, *y = b;

	if (x->load != y->load)
		return x->load < y->load ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* ---- comparing loads -------------------------------------------------------------- */

/* Whether A with ADD more load is fuller than B with ADD_B more. */
static bool is_fuller(const struct bin *a, wide add, const struct bin *b, wide add_b)
{
	return (a->load + add) * b->weight > (b->load + add_b) * a->weight;
}

static bool helps(const struct bin *from, __u64 load, const struct bin *to)
{
	return is_fuller(from, 0, to, load);
}

/* The load above the bin's share, times the weight of all. */
static wide excess(const struct spread *s, const struct bin *bin)
{
	return bin->load * s->weight - s->load * bin->weight;
}

/* The bin other than BUT that would be least full with LOAD more. */
static __u32 emptiest(const struct spread *s, __u64 load, __u32 but)
{
	__u32 best = NONE, b;

	for (b = 0; b < s->bins; b++)
		if (b != but && (best == NONE || is_fuller(&s->bin[best], load, &s->bin[b], load)))
			best = b;
	return best;
}

static bool is_within_band(const struct spread *s)
{
	const struct bin *bin;

	for (bin = s->bin; bin < s->bin + s->bins; bin++) {
		wide over = excess(s, bin), share = s->load * bin->weight;

		if ((over < 0 ? -over : over) * BAND > share)
			return false;
	}
	return true;
}

/* ---- moving ---------------------------------------------------------------------- */

static void put(struct spread *s, __u32 ball, __u32 bin)
{
	__u32 *link = &s->bin[bin].first;

	while (*link < ball) /* NONE is larger than all */
		link = &s->ball[*link].next;
	s->ball[ball].next = *link;
	*link = ball;
	s->ball[ball].at = bin;
	s->bin[bin].load += s->ball[ball].load;
}

static void take(struct spread *s, __u32 ball)
{
	struct bin *bin = &s->bin[s->ball[ball].at];
	__u32 *link = &bin->first;

	while (*link != ball)
		link = &s->ball[*link].next;
	*link = s->ball[ball].next;
	bin->load -= s->ball[ball].load;
}

/* Puts the heaviest first, so that each goes to the front. Then those without a host. */
static void fill(struct spread *s)
{
	__u32 i;

	for (i = s->balls; i-- > 0;)
		if (s->ball[i].from != NONE)
			put(s, i, s->ball[i].from);
	for (i = s->balls; i-- > 0;)
		if (s->ball[i].from == NONE)
			put(s, i, emptiest(s, s->ball[i].load, NONE));
}

/*
 * Of the moves from A to B that help, the one whose load is nearest to A's excess. The caller knows
 * that the lightest ball helps.
 */
static __u32 choose(const struct spread *s, const struct bin *a, const struct bin *b)
{
	const wide aim = excess(s, a);
	__u32 best = a->first, i;
	wide off, least = 0;

	for (i = a->first; i != NONE && helps(a, s->ball[i].load, b); i = s->ball[i].next) {
		off = s->ball[i].load * s->weight - aim;
		if (i == a->first || (off < 0 ? -off : off) < least) {
			best = i;
			least = off < 0 ? -off : off;
		}
	}
	return best;
}

/* The fullest bin that is not stuck, or NONE. */
static __u32 fullest(const struct spread *s)
{
	__u32 best = NONE, b;

	for (b = 0; b < s->bins; b++)
		if (!s->bin[b].stuck &&
		    (best == NONE || is_fuller(&s->bin[b], 0, &s->bin[best], 0)))
			best = b;
	return best;
}

/* A bin to which a move from A helps, or NONE. If any ball helps, the lightest one does. */
static __u32 helped(const struct spread *s, __u32 a)
{
	__u32 ball = s->bin[a].first, b;

	if (ball == NONE)
		return NONE;
	b = emptiest(s, s->ball[ball].load, a);
	return b != NONE && helps(&s->bin[a], s->ball[ball].load, &s->bin[b]) ? b : NONE;
}

/*
 * This ends, because after a move both bins are less full than the fuller one was before, so the
 * list of all loads, sorted from the fullest, gets smaller. When all bins are stuck, all are tried
 * again, because a bin that gave load may now be able to take some.
 */
static void level(struct spread *s)
{
	bool moved;
	__u32 a, b, ball;

	do {
		moved = false;
		for (b = 0; b < s->bins; b++)
			s->bin[b].stuck = false;
		while ((a = fullest(s)) != NONE) {
			b = helped(s, a);
			if (b == NONE) {
				s->bin[a].stuck = true;
				continue;
			}
			ball = choose(s, &s->bin[a], &s->bin[b]);
			take(s, ball);
			put(s, ball, b);
			moved = true;
		}
	} while (moved);
}

/* ---- undoing needless moves --------------------------------------------------------- */

/* Whether the bins are level after a move from B to A. Only moves from A or to B could help. */
static bool is_level_with(const struct spread *s, __u32 a, __u32 b)
{
	__u32 i;

	if (helped(s, a) != NONE)
		return false;
	for (i = 0; i < s->bins; i++)
		if (i != b && s->bin[i].first != NONE &&
		    helps(&s->bin[i], s->ball[s->bin[i].first].load, &s->bin[b]))
			return false;
	return true;
}

static bool take_back(struct spread *s, __u32 i)
{
	const __u32 at = s->ball[i].at, from = s->ball[i].from;

	if (from == NONE || from == at)
		return false;
	take(s, i);
	put(s, i, from);
	if (is_level_with(s, from, at))
		return true;
	take(s, i);
	put(s, i, at);
	return false;
}

static void take_back_all(struct spread *s)
{
	bool changed;
	__u32 i;

	do {
		changed = false;
		for (i = 0; i < s->balls; i++)
			changed |= take_back(s, i);
	} while (changed);
}

/* ---- input and output --------------------------------------------------------------- */

static __u64 least_load(const struct place_tenant *tenants, __u32 n)
{
	wide sum = 0;
	__u64 least;
	__u32 i;

	for (i = 0; i < n; i++)
		sum += tenants[i].bytes;
	least = n ? (__u64)(sum / n / FLOOR) : 0;
	return least ? least : 1;
}

static void read_hosts(struct spread *s, const struct place_host *hosts)
{
	__u32 i;

	for (i = 0; i < s->bins; i++)
		s->bin[i] = (struct bin){.weight = hosts[i].weight, .first = NONE, .host = i};
	qsort_r(s->bin, s->bins, sizeof(*s->bin), compare_hosts, (void *)hosts);
	for (i = 0; i < s->bins; i++)
		s->weight += s->bin[i].weight;
}

static void read_tenants(struct spread *s, const struct place_tenant *tenants, const __u32 *bin_of)
{
	const __u64 least = least_load(tenants, s->balls);
	__u32 i;

	for (i = 0; i < s->balls; i++) {
		const struct place_tenant *t = &tenants[i];

		s->ball[i] = (struct ball){.load = t->bytes > least ? t->bytes : least,
					   .id = t->id,
					   .from = t->host < s->bins ? bin_of[t->host] : NONE,
					   .tenant = i};
		s->load += s->ball[i].load;
	}
	qsort(s->ball, s->balls, sizeof(*s->ball), compare_balls);
}

static int make(struct spread *s, __u32 **bin_of)
{
	s->bin = calloc(s->bins, sizeof(*s->bin));
	s->ball = calloc(s->balls + 1UL, sizeof(*s->ball));
	*bin_of = calloc(s->bins, sizeof(**bin_of));
	return s->bin && s->ball && *bin_of ? 0 : -ENOMEM;
}

int place_spread(const struct place_host *hosts, __u32 n_hosts, struct place_tenant *tenants,
		 __u32 n_tenants)
{
	struct spread s = {.bins = n_hosts, .balls = n_tenants};
	__u32 *bin_of, i;
	int err = make(&s, &bin_of);

	if (!err) {
		read_hosts(&s, hosts);
		for (i = 0; i < n_hosts; i++)
			bin_of[s.bin[i].host] = i;
		read_tenants(&s, tenants, bin_of);
		fill(&s);
		if (!is_within_band(&s)) {
			level(&s);
			take_back_all(&s);
		}
		for (i = 0; i < n_tenants; i++)
			tenants[s.ball[i].tenant].to = s.bin[s.ball[i].at].host;
	}
	free(s.bin);
	free(s.ball);
	free(bin_of);
	return err;
}
