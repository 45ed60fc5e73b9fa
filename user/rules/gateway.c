// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "rules/rules.h"

enum { V4_MAPPED_LEN = 96 };

int rule_gateway_del(__u64 published, __u64 halves)
{
	if (!published && !halves)
		return 0;
	return fail(EBUSY,
		    "the gateway still has published ports (%llu) and halves of peerings (%llu); "
		    "force on deletes them too",
		    published, halves);
}

int rule_routed(const struct tsw_prefix *network, const struct tsw_prefix *its, const char *tenant)
{
	return fail(EEXIST,
		    "with nat off, %s must not overlap %s of tenant %s: both would have the same "
		    "addresses outside",
		    prefix_text(network), prefix_text(its), tenant);
}

int rule_target(const char *tenant, const struct tsw_addr *addr, enum rule_owner owner,
		const struct tsw_prefix *ip, __u32 n)
{
	const enum tsw_family family = addr_family(addr);

	if (owner == OWNER_NOBODY)
		return fail(ENOENT,
			    "no endpoint of tenant %s has the address %s: endpoint set NAME ip "
			    "IP... lists all that it has",
			    quoted(tenant), addr_text(addr));
	if (owner == OWNER_GATEWAY)
		return fail(EINVAL, "%s is the gateway's own address: give an endpoint's",
			    addr_text(addr));
	while (n--)
		if (addr_family(&ip[n].addr) == family)
			return 0;
	return fail(EADDRNOTAVAIL,
		    "the gateway of tenant %s has no %s address, which the tenant itself needs to "
		    "reach it: gateway set %s ip CIDR",
		    quoted(tenant), family_text(family), escaped(tenant));
}

/* ---- peerings --------------------------------------------------------------------- */

int rule_peer_differs(const char *tenant, const char *with)
{
	if (strcmp(tenant, with) != 0)
		return 0;
	return fail(EINVAL, "tenant %s needs no peering with itself", quoted(tenant));
}

static const char *net_text(const struct tsw_prefix *ip)
{
	const struct tsw_prefix net = {prefix_first(ip), ip->len};

	return prefix_text(&net);
}

static int check_within(const struct rule_side *side, const struct tsw_prefix *net)
{
	__u32 i;

	for (i = 0; i < side->n_ip; i++)
		if (side->ip[i].len <= net->len && prefix_has(&side->ip[i], &net->addr))
			return 0;
	fail(EINVAL, "prefix %s is in no network of tenant %s's gateway:", prefix_text(net),
	     quoted(side->tenant));
	for (i = 0; i < side->n_ip; i++)
		fail_more(" %s", net_text(&side->ip[i]));
	return -EINVAL;
}

/* Refuses an IPv6 network that contains all IPv4 addresses in the form that the maps use. */
static int check_v6(const struct rule_side *side, const struct tsw_prefix *net)
{
	const struct tsw_addr v4 = addr_from_v4(0);

	if (net->len >= V4_MAPPED_LEN || !prefix_has(net, &v4))
		return 0;
	return fail(EINVAL, "%s of tenant %s cannot be told from IPv4: give a prefix",
		    net_text(net), quoted(side->tenant));
}

/* An address must belong to one of both tenants only. */
static int check_apart(const struct rule_side *of, const struct tsw_prefix *net,
		       const struct rule_side *with)
{
	__u32 i;

	for (i = 0; i < with->n_ip; i++)
		if (prefix_overlap(net, &with->ip[i]))
			return fail(EEXIST,
				    "%s of tenant %s overlaps %s of tenant %s: an address there "
				    "would be both tenants'",
				    net_text(net), quoted(of->tenant), net_text(&with->ip[i]),
				    quoted(with->tenant));
	return 0;
}

int rule_peer_networks(const struct rule_side *of, const struct rule_side *with)
{
	const struct tsw_prefix *net = of->n_given ? of->given : of->ip;
	const __u32 n = of->n_given ? of->n_given : of->n_ip;
	__u32 i;
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		err = of->n_given ? check_within(of, &net[i]) : 0;
		err = err ?: check_v6(of, &net[i]);
		err = err ?: check_apart(of, &net[i], with);
	}
	return err;
}
