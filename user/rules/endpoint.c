// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "rules/rules.h"

void rule_name(struct rule_names *names, const char *tenant, const char *endpoint)
{
	const size_t used = strlen(names->text);

	if (names->n++ < RULE_NAMED)
		snprintf(names->text + used, sizeof(names->text) - used, "%s%s%s%s",
			 used ? ", " : "", escaped(tenant), *tenant ? "/" : "", escaped(endpoint));
}

int rule_host_del(const struct rule_names *endpoints)
{
	if (!endpoints->n)
		return 0;
	return fail(EBUSY,
		    "the host still has endpoints (%llu)%s%s%s; move them, or delete them with the "
		    "host by: force on",
		    endpoints->n, *endpoints->text ? ": " : "", endpoints->text,
		    *endpoints->text && endpoints->n > RULE_NAMED ? ", ..." : "");
}

int rule_host_serves(const char *tenant, bool first)
{
	if (first)
		return fail(EBUSY, "the host serves the gateway of tenant %s: move or delete it",
			    quoted(tenant));
	return fail(EBUSY,
		    "the host is ranked to serve the gateway of tenant %s: name its other hosts by "
		    "gateway set",
		    quoted(tenant));
}

int rule_no_net(const char *tenant, const char *option)
{
	return fail(EADDRNOTAVAIL,
		    "tenant %s has no net in which to take an address: give it one with: tsw "
		    "%stenant set %s net CIDR",
		    quoted(tenant), option, escaped(tenant));
}

int rule_net_full(const struct tsw_prefix *net)
{
	return fail(ENOSPC, "no address of net %s is free", quoted(prefix_text(net)));
}

int rule_addresses(__u32 n)
{
	if (n <= TSW_ENDPOINT_IPS)
		return 0;
	return fail(EOVERFLOW,
		    "an endpoint has at most %d addresses: with one of each net it has %u",
		    TSW_ENDPOINT_IPS, n);
}

static int refuse_prefix(const struct tsw_prefix *prefix, const struct tsw_prefix *net,
			 const char *why)
{
	return prefix_overlap(prefix, net)
		       ? fail(EINVAL, "prefix %s overlaps %s, %s", prefix_text(prefix),
			      net->len == 128 ? addr_text(&net->addr) : prefix_text(net), why)
		       : 0;
}

int rule_prefixes(const struct tsw_prefix_list *list)
{
	static const char local[] = "which no router forwards";
	static const char switchs[] = "at which the switch answers";
	const struct tsw_prefix local4 = {addr_from_v4(htonl(0xa9fe0000)), 96 + 16};
	const struct tsw_prefix local6 = {{{htonl(0xfe800000)}}, 10};
	const struct tsw_prefix service = {addr_service(TSW_IPV6), 128};
	__u32 i, k;
	int err = 0;

	for (i = 0; !err && i < list->n; i++) {
		const struct tsw_prefix *prefix = &list->at[i];

		err = refuse_host_bits(prefix_text(prefix), prefix);
		err = err ?: refuse_prefix(prefix, &local4, local);
		err = err ?: refuse_prefix(prefix, &local6, local);
		err = err ?: refuse_prefix(prefix, &service, switchs);
		for (k = 0; !err && k < i; k++)
			err = refuse_prefix(prefix, &list->at[k], "which is given too");
	}
	return err;
}

int rule_prefix_taken(const struct tsw_prefix *prefix, const char *tenant, const char *what,
		      const char *text, const char *owner)
{
	return fail(EEXIST, "prefix %s overlaps the %s %s%s, in tenant %s", prefix_text(prefix),
		    what, text, owner, quoted(tenant));
}

int rule_prefix_own(const struct tsw_prefix *prefix, const struct tsw_prefix *net, __u32 n)
{
	while (n-- > 0) {
		const struct tsw_prefix own = {prefix_first(&net[n]), net[n].len};

		if (prefix->len <= own.len && prefix_has(prefix, &own.addr))
			return fail(EEXIST,
				    "prefix %s contains the tenant's own network %s: it may only "
				    "be a part of that",
				    prefix_text(prefix), prefix_text(&own));
	}
	return 0;
}

int rule_prefix_peer(const struct tsw_prefix *prefix, const struct tsw_prefix *network,
		     const char *peer)
{
	return fail(EEXIST, "prefix %s overlaps %s of the peer %s", prefix_text(prefix),
		    prefix_text(network), quoted(peer));
}

int rule_moves_nowhere(const char *name, const char *place)
{
	return fail(EINVAL, "endpoint %s lives at %s: it cannot move there", quoted(name),
		    quoted(place));
}

int rule_moving_mac(const char *name, const struct tsw_mac *old, const struct tsw_mac *want)
{
	if (mac_equal(old, want))
		return 0;
	return fail(EBUSY,
		    "endpoint %s moves, and keeps its MAC meanwhile: end that with dev or host",
		    quoted(name));
}
