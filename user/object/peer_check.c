// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "object/peer_check.h"
#include "base/text.h"
#include "record/tenant_find.h"

enum { V4_MAPPED_LEN = 96 };

/* A network of IPv6 that has all of IPv4 as the maps have it, and so would be found for that. */
static bool has_v4(const struct tsw_prefix *network)
{
	const struct tsw_addr v4 = addr_from_v4(0);

	return network->len < V4_MAPPED_LEN && prefix_has(network, &v4);
}

/* All networks of a gateway, whatever its tenant gives peers of them. */
static __u32 networks_of(const struct side *side, struct tsw_prefix network[TSW_GATEWAY_ADDRS])
{
	const struct side all = {.gw = side->gw};

	return side_networks(&all, network);
}

static int check_within(const struct tsw *t, const struct side *side,
			const struct tsw_prefix *prefix)
{
	struct tsw_prefix network[TSW_GATEWAY_ADDRS];
	__u32 n = networks_of(side, network), i;

	for (i = 0; i < n; i++)
		if (network[i].len <= prefix->len && prefix_has(&network[i], &prefix->addr))
			return 0;
	fail(EINVAL, "prefix %s is in no network of tenant %s's gateway:", prefix_text(prefix),
	     tenant_text(t, side->id));
	for (i = 0; i < n; i++)
		fail_more(" %s", prefix_text(&network[i]));
	return -EINVAL;
}

/* Which of its neighbours, its gateway or its peer an endpoint means must be plain. */
static int check_other(const struct tsw *t, const struct pair *pair,
		       const struct tsw_prefix *network)
{
	const struct side *side = &pair->side[0], *other = &pair->side[1];
	struct tsw_prefix its[TSW_GATEWAY_ADDRS];
	__u32 n = networks_of(other, its), i;

	for (i = 0; i < n; i++)
		if (prefix_overlap(network, &its[i]))
			return fail(EEXIST,
				    "%s of tenant %s overlaps %s of tenant %s: an address there "
				    "would be both tenants'",
				    prefix_text(network), tenant_text(t, side->id),
				    prefix_text(&its[i]), tenant_text(t, other->id));
	return 0;
}

/* A third tenant that gives the same other one a network. */
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

int peer_check(const struct tsw *t, const struct pair *pair)
{
	const struct side *side = &pair->side[0];
	struct tsw_prefix given[TSW_GATEWAY_ADDRS];
	__u32 n = side_networks(side, given), i;
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		if (side->half.n_prefixes)
			err = check_within(t, side, &given[i]);
		if (!err && has_v4(&given[i]))
			err = fail(EINVAL,
				   "%s of tenant %s cannot be told from IPv4: give a prefix",
				   prefix_text(&given[i]), tenant_text(t, side->id));
		if (!err)
			err = check_other(t, pair, &given[i]);
	}
	return err ?: check_thirds(t, pair, given, n);
}
