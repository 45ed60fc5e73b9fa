// SPDX-License-Identifier: GPL-2.0-only
#include "agent/rank.h"

static enum life life_of(const struct tsw_gateway *gw, __u32 rank, const struct lives *lives)
{
	return lives->of[gw->rank[rank]].life;
}

/* For a host that this agent has not heard yet, the last agent's finding counts. */
static bool is_silent(const struct tsw_gateway *gw, __u32 rank, const struct lives *lives)
{
	const enum life life = life_of(gw, rank, lives);

	return life == LIFE_SILENT || (life == LIFE_UNKNOWN && gw->down & 1U << rank);
}

/* A bit for each rank that should not serve. */
static __u32 find_down(const struct tsw_gateway *gw, const struct lives *lives)
{
	__u32 silent = 0, lame = 0, rank;

	for (rank = 0; rank < gw->n_ranks; rank++) {
		if (is_silent(gw, rank, lives))
			silent |= 1U << rank;
		else if (life_of(gw, rank, lives) == LIFE_LAME)
			lame |= 1U << rank;
	}
	return (silent | lame) == (1U << gw->n_ranks) - 1 ? silent : silent | lame;
}

static bool has_lived(const struct tsw_gateway *gw, __u32 rank, const struct lives *lives)
{
	const struct life_of *of = &lives->of[gw->rank[rank]];

	return of->life == LIFE_ALIVE && lives->now - of->since >= lives->hold;
}

/* Returns n_ranks if all are down. */
static __u32 first_alive(const struct tsw_gateway *gw, __u32 down)
{
	__u32 rank = 0;

	while (rank < gw->n_ranks && down & 1U << rank)
		rank++;
	return rank;
}

static __u32 rank_now(const struct tsw_gateway *gw)
{
	__u32 rank = 0;

	while (rank + 1 < gw->n_ranks && gw->rank[rank] != gw->host)
		rank++;
	return rank;
}

/* Why does the first rank not serve? */
static enum tsw_flip why_not(const struct tsw_gateway *gw, const struct lives *lives)
{
	if (is_silent(gw, 0, lives))
		return TSW_FLIP_SILENT;
	return life_of(gw, 0, lives) == LIFE_LAME ? TSW_FLIP_UPLINK : TSW_FLIP_HOLD;
}

bool rank_choose(const struct tsw_gateway *gw, const struct lives *lives, struct gateway_flip *to)
{
	const __u32 now = rank_now(gw), down = find_down(gw, lives);
	__u32 best = first_alive(gw, down);

	*to = (struct gateway_flip){.down = down};
	if (best == gw->n_ranks) {
		best = now;
	} else if (best < now && !(down & 1U << now)) {
		if (has_lived(gw, best, lives))
			to->drain = RANK_DRAIN;
		else
			best = now;
	}
	to->host = gw->rank[best];
	if (best)
		to->why = why_not(gw, lives);
	return to->host != gw->host || down != gw->down || (best && to->why != gw->flip);
}
