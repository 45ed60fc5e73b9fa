// SPDX-License-Identifier: GPL-2.0-only
#include "agent/rank.h"

/* Of who was not heard since the agent began holds what the agent before found out. */
static bool is_down(const struct tsw_gateway *gw, __u32 rank, const struct lives *lives)
{
	const __u32 host = gw->rank[rank];
	const enum life life = host ? lives->of[host].life : LIFE_ALIVE;

	return life == LIFE_SILENT || (life == LIFE_UNKNOWN && gw->down & 1U << rank);
}

static bool has_lived(const struct tsw_gateway *gw, __u32 rank, const struct lives *lives)
{
	const struct life_of *of = &lives->of[gw->rank[rank]];

	return !gw->rank[rank] || (of->life == LIFE_ALIVE && lives->now - of->since >= lives->hold);
}

/* The first from FROM on that is not down; n_ranks: none. */
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

bool rank_choose(const struct tsw_gateway *gw, const struct lives *lives, struct gateway_flip *to)
{
	const __u32 now = rank_now(gw);
	__u32 down = 0, rank, best;

	for (rank = 0; rank < gw->n_ranks; rank++)
		down |= is_down(gw, rank, lives) ? 1U << rank : 0;
	best = first_alive(gw, down);
	if (best == gw->n_ranks)
		best = now;
	*to = (struct gateway_flip){.down = down};
	if (best < now && !(down & 1U << now)) {
		if (has_lived(gw, best, lives))
			to->drain = RANK_DRAIN;
		else
			best = now;
	}
	to->host = gw->rank[best];
	if (best)
		to->why = down & 1U ? TSW_FLIP_SILENT : TSW_FLIP_HOLD;
	return to->host != gw->host || down != gw->down || (best && to->why != gw->flip);
}
