// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/text.h"
#include "object/peer_check.h"
#include "object/prefix.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

/* Refuses an overlap with the networks of THIRD, another peer of the second side. */
static int check_third(const struct tsw *t, const struct pair *pair, __u32 third,
		       const struct tsw_prefix *given, __u32 n_given)
{
	struct tsw_prefix its[TSW_GATEWAY_ADDRS];
	const struct side *other = &pair->side[1];
	struct pair with;
	__u32 n, i, k;
	int err = pair_load(t, third, other->id, &with);

	n = err ? 0 : side_networks(&with.side[0], its);
	for (i = 0; i < n_given; i++)
		for (k = 0; k < n; k++)
			if (prefix_overlap(&given[i], &its[k]))
				return fail(EEXIST,
					    "%s of tenant %s overlaps %s of tenant %s, which is a "
					    "peer with tenant %s too",
					    prefix_text(&given[i]),
					    tenant_text(t, pair->side[0].id), prefix_text(&its[k]),
					    tenant_text(t, third), tenant_text(t, other->id));
	return err;
}

static int check_thirds(const struct tsw *t, const struct pair *pair,
			const struct tsw_prefix *given, __u32 n_given)
{
	struct tsw_peer_key *all;
	size_t n, i;
	int err = peer_list(t, pair->side[1].id, &all, &n);

	for (i = 0; !err && i < n; i++)
		if (all[i].with == pair->side[1].id && all[i].of != pair->side[0].id)
			err = check_third(t, pair, all[i].of, given, n_given);
	free(all);
	return err;
}

static struct rule_side side_of(const struct side *side, const struct tsw_name *tenant)
{
	return (struct rule_side){tenant->s, side->gw.addr, side->half.prefix, side->gw.n_addrs,
				  side->half.n_prefixes};
}

int peer_check(const struct tsw *t, const struct pair *pair)
{
	const struct tsw_name of = tenant_name_of(t, pair->side[0].id);
	const struct tsw_name with = tenant_name_of(t, pair->side[1].id);
	const struct rule_side first = side_of(&pair->side[0], &of);
	const struct rule_side second = side_of(&pair->side[1], &with);
	struct tsw_prefix given[TSW_GATEWAY_ADDRS];
	const __u32 n = side_networks(&pair->side[0], given);
	int err = rule_peer_networks(&first, &second);

	err = err ?: prefixes_check_peer(t, pair->side[1].id, given, n, of.s);
	return err ?: check_thirds(t, pair, given, n);
}
