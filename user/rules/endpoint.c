// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
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
