// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "tools/place/backup.h"
#include "tools/place/first.h"

enum { FULL = 2 }; /* shares, see backup.h */

enum zones { ZONES_APART, ZONES_UNKNOWN, ZONES_SAME };

/* Sums over all hosts and gateways. */
struct all {
	const struct place_backer *hosts;
	__u64 weight;
	__u64 backups;
};

/* How well a host would do as the next backup: the first field that differs decides, less wins. */
struct fit {
	bool left_out;
	enum zones zones;
	bool full;
	__u32 was; /* index among the gateway's present hosts */
};

static enum zones zones_with(const struct all *all, const struct place_ranks *r, __u32 n,
			     __u32 host)
{
	const char *zone = all->hosts[host].zone;
	enum zones zones = *zone ? ZONES_APART : ZONES_UNKNOWN;
	__u32 i;

	for (i = 0; i < n; i++) {
		const char *other = all->hosts[r->at[i]].zone;

		if (!*other)
			zones = zones == ZONES_APART ? ZONES_UNKNOWN : zones;
		else if (!strcmp(zone, other))
			return ZONES_SAME;
	}
	return zones;
}

static struct fit fit_of(const struct all *all, const struct place_ranks *r, __u32 n, __u32 host)
{
	const struct place_backer *h = &all->hosts[host];
	struct fit fit = {.left_out = h->left_out, .zones = zones_with(all, r, n, host)};

	fit.full = h->backs && h->backs * all->weight >= FULL * all->backups * h->weight;
	while (fit.was < r->n_was && r->was[fit.was] != host)
		fit.was++;
	return fit;
}

static bool is_better(const struct all *all, __u32 a, const struct fit *x, __u32 b,
		      const struct fit *y)
{
	const struct place_backer *p = &all->hosts[a], *q = &all->hosts[b];
	const __u64 load_p = (p->backs + 1ULL) * q->weight, load_q = (q->backs + 1ULL) * p->weight;

	if (x->left_out != y->left_out)
		return y->left_out;
	if (x->zones != y->zones)
		return x->zones < y->zones;
	if (x->full != y->full)
		return y->full;
	if (x->was != y->was)
		return x->was < y->was;
	if (load_p != load_q)
		return load_p < load_q;
	return strcmp(p->name, q->name) < 0;
}

static bool is_taken(const struct place_ranks *r, __u32 n, __u32 host)
{
	__u32 i;

	for (i = 0; i < n; i++)
		if (r->at[i] == host)
			return true;
	return false;
}

static __u32 choose(const struct all *all, __u32 n_hosts, const struct place_ranks *r, __u32 n,
		    struct fit *best)
{
	__u32 found = PLACE_NOWHERE, i;
	struct fit fit;

	for (i = 0; i < n_hosts; i++) {
		if (is_taken(r, n, i))
			continue;
		fit = fit_of(all, r, n, i);
		if (found == PLACE_NOWHERE || is_better(all, i, &fit, found, best)) {
			found = i;
			*best = fit;
		}
	}
	return found;
}

void place_backups(struct place_backer *hosts, __u32 n_hosts, struct place_ranks *ranks,
		   __u32 n_ranks)
{
	struct all all = {.hosts = hosts};
	struct place_ranks *r;
	struct fit fit = {};
	__u32 i, n;

	for (i = 0; i < n_hosts; i++) {
		hosts[i].backs = 0;
		all.weight += hosts[i].left_out ? 0 : hosts[i].weight;
	}
	for (r = ranks; r < ranks + n_ranks; r++)
		all.backups += r->n - 1;
	for (r = ranks; r < ranks + n_ranks; r++) {
		r->same_zone = false;
		if (r->n > n_hosts)
			r->n = n_hosts;
		for (n = 1; n < r->n; n++) {
			r->at[n] = choose(&all, n_hosts, r, n, &fit);
			hosts[r->at[n]].backs++;
			r->same_zone |= fit.zones == ZONES_SAME;
		}
	}
}
