// SPDX-License-Identifier: GPL-2.0-only
/* Which endpoint waits for which, by the networks behind them. */
#include "base/text.h"
#include "state/fate.h"
#include "state/state.h"

static bool within(const struct tsw_prefix_list *list, const struct state *s,
		   const struct state_endpoint *ep)
{
	__u32 i, k;

	for (i = 0; i < list->n; i++) {
		for (k = 0; k < ep->prefix.n; k++)
			if (prefix_overlap(&list->at[i], &ep->prefix.at[k]))
				return true;
		for (k = 0; k < ep->vip.n; k++)
			if (prefix_has(&list->at[i], &ep->vip.at[k]))
				return true;
		for (k = 0; k < ep->n_ip; k++)
			if (prefix_has(&list->at[i], &s->ip[ep->first_ip + k]))
				return true;
	}
	return false;
}

/* The wanted endpoint K gets an address or a network of the existing endpoint I. */
static void mark(struct diff *d, __u32 i, __u32 k)
{
	const struct state_endpoint *have = &d->have->endpoint[i], *want = &d->want->endpoint[k];

	if (d->endpoint.want[i] == k || d->tenant.want[have->tenant] != want->tenant ||
	    (!within(&have->prefix, d->want, want) && !within(&want->prefix, d->have, have)))
		return;
	d->endpoint.gives[i] = 1;
	if (d->endpoint.have[k] != STATE_NONE)
		d->endpoint.takes[d->endpoint.have[k]] = 1;
}

void diff_mark_prefixes(struct diff *d)
{
	__u32 i, k;

	for (i = 0; i < d->have->n_endpoints; i++)
		for (k = 0; d->have->endpoint[i].prefix.n && k < d->want->n_endpoints; k++)
			mark(d, i, k);
	for (k = 0; k < d->want->n_endpoints; k++)
		for (i = 0; d->want->endpoint[k].prefix.n && i < d->have->n_endpoints; i++)
			mark(d, i, k);
}
