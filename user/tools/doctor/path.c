// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "tools/doctor/path.h"
#include "wire/underlay.h"

enum {
	SHORTEST = 128, /* an outer IP packet with a probe by any encapsulation and family */
	ROUNDS = 3,	/* for one length */
	AGENT_ROUNDS = 6,
	AGENT_HITS = 3, /* answers in time that must come beside an agent's own */
	SLACK_NS = 4 * 1000 * 1000,
};

struct search {
	struct reach *r;
	struct path *paths;
	__u32 *high; /* of each row: the least length that did not come back */
	__u32 *hits;
	bool brief; /* try the whole MTU alone */
};

/*
 * A running agent gets answers to short questions of its own by the same entry. Beside an agent,
 * only answers as fast as the first one count, and several must come.
 */
static bool is_ours(const struct reach_row *row, const struct path *path)
{
	return row->mine || (row->took + SLACK_NS / 4 > path->took / 4 * 3 &&
			     row->took < path->took + path->took / 4 + SLACK_NS);
}

enum tsw_encap path_encap(const struct path *p)
{
	enum tsw_encap encap = TSW_ENCAP_VXLAN;

	while (encap + 1 < TSW_ENCAPS && !p->passes[encap])
		encap++;
	return encap;
}

/* Asks each row that is not skipped by its length. `hits`: whether it came back. */
static int try_lengths(struct search *s, enum tsw_encap encap)
{
	struct reach *r = s->r;
	bool *skip = calloc(r->n + 1, sizeof(*skip));
	size_t i;
	int round, err = skip ? 0 : fail_memory();

	for (i = 0; !err && i < r->n; i++) {
		skip[i] = r->row[i].skip;
		s->hits[i] = 0;
	}
	for (round = 0; !err && round < AGENT_ROUNDS; round++) {
		err = reach_ask(r, encap);
		for (i = 0; !err && i < r->n; i++) {
			struct reach_row *row = &r->row[i];

			if (row->skip)
				continue;
			s->hits[i] += row->took && is_ours(row, &s->paths[i]);
			row->skip = s->hits[i] >= (row->mine ? 1 : AGENT_HITS) ||
				    (row->mine && round + 1 >= ROUNDS);
		}
	}
	for (i = 0; !err && i < r->n; i++) {
		s->hits[i] = s->hits[i] >= (r->row[i].mine ? 1 : AGENT_HITS);
		r->row[i].skip = skip[i];
	}
	free(skip);
	return err;
}

/* The next length to try: the whole MTU first, then the middle. 0: the longest one is known. */
static __u32 next_length(const struct path *p, __u32 high, bool brief)
{
	if (!high)
		return p->mtu;
	if (brief)
		return 0;
	return high - p->fits > 1 ? p->fits + (high - p->fits) / 2 : 0;
}

/* Finds the longest packet for those hosts whose first encapsulation that works is ENCAP. */
static int find_lengths(struct search *s, enum tsw_encap encap)
{
	struct reach *r = s->r;
	size_t i, left;
	int err = 0;

	do {
		left = 0;
		for (i = 0; i < r->n; i++) {
			struct path *p = &s->paths[i];
			const bool has = p->passes[encap] && path_encap(p) == encap;

			r->row[i].who.length = has ? next_length(p, s->high[i], s->brief) : 0;
			r->row[i].skip = !r->row[i].who.length;
			left += !r->row[i].skip;
		}
		err = left ? try_lengths(s, encap) : 0;
		for (i = 0; !err && i < r->n; i++) {
			if (r->row[i].skip)
				continue;
			if (s->hits[i])
				s->paths[i].fits = r->row[i].who.length;
			else
				s->high[i] = r->row[i].who.length;
			if (s->paths[i].fits == s->paths[i].mtu)
				s->high[i] = s->paths[i].mtu + 1;
		}
	} while (!err && left);
	return err;
}

/* Tries by ENCAP what was found by another one. */
static int try_other(struct search *s, enum tsw_encap encap)
{
	struct reach *r = s->r;
	size_t i, left = 0;
	int err;

	for (i = 0; i < r->n; i++) {
		struct path *p = &s->paths[i];

		r->row[i].skip = !p->passes[encap] || path_encap(p) == encap || !s->high[i];
		r->row[i].who.length = p->fits;
		p->whole[encap] = r->row[i].skip && p->passes[encap];
		left += !r->row[i].skip;
	}
	err = left ? try_lengths(s, encap) : 0;
	for (i = 0; !err && i < r->n; i++)
		if (!r->row[i].skip)
			s->paths[i].whole[encap] = s->hits[i];
	return err;
}

static int find_encaps(struct reach *r, struct path *paths)
{
	enum tsw_encap encap;
	size_t i;
	int err = reach_ask_each(r);

	for (i = 0; !err && i < r->n; i++) {
		for (encap = 0; encap < TSW_ENCAPS; encap++)
			paths[i].passes[encap] = r->row[i].by[encap];
		paths[i].took = r->row[i].took;
		paths[i].fits = paths[i].took ? SHORTEST : 0;
	}
	return err;
}

int paths_find(const struct tsw *t, const struct hosts *all, const char *name, bool brief,
	       struct path *paths)
{
	cleanup_reach struct reach r;
	struct search s = {&r, paths, .brief = brief};
	enum tsw_encap encap;
	size_t i;
	int err = reach_begin(&r, t, all);

	s.high = calloc(all->n + 1, sizeof(*s.high));
	s.hits = calloc(all->n + 1, sizeof(*s.hits));
	if (!err && (!s.high || !s.hits))
		err = fail_memory();
	for (i = 0; !err && i < r.n; i++) {
		r.row[i].skip = *name && strcmp(all->row[i].host.name, name);
		paths[i].mtu = all->row[i].host.mtu ?: underlay_mtu(t);
		if (brief && r.agent)
			paths[i].mtu = 0;
	}
	err = err ?: find_encaps(&r, paths);
	r.tries = 1;
	for (encap = 0; encap < TSW_ENCAPS; encap++)
		err = err ?: find_lengths(&s, encap);
	for (encap = 0; !brief && encap < TSW_ENCAPS; encap++)
		err = err ?: try_other(&s, encap);
	free(s.high);
	free(s.hits);
	return err;
}
