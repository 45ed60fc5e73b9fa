// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/err.h"
#include "base/text.h"
#include "plug/tenancy.h"
#include "record/fields.h"
#include "record/nets.h"

int tenancy_length(const struct tenancy *tenancy, struct tsw_prefix *at)
{
	const struct tsw_prefix_list *const lists[] = {&tenancy->spec.net, &tenancy->gateway};
	struct tsw_prefix_list found = {1, {}};
	size_t i;
	__u32 k;

	for (i = 0; !at->len && i < 2; i++)
		for (k = 0; !at->len && k < lists[i]->n; k++)
			if (prefix_has(&lists[i]->at[k], &at->addr))
				at->len = lists[i]->at[k].len;
	found.at[0] = (struct tsw_prefix){prefix_first(at), at->len};
	if (at->len)
		return nets_check(&found, &at->addr);
	return misuse("%s is in no net of tenant %s: give it with its prefix length, as %s/24",
		      addr_text(&at->addr), quoted(tenancy->spec.name.s), addr_text(&at->addr));
}

struct tsw_addr tenancy_gateway(const struct tenancy *tenancy, const struct tsw_prefix *at)
{
	__u32 i;

	for (i = 0; i < tenancy->gateway.n; i++)
		if (prefix_has(at, &tenancy->gateway.at[i].addr))
			return tenancy->gateway.at[i].addr;
	return (struct tsw_addr){};
}

struct tsw_addr tenancy_server(const struct tenancy *tenancy, const struct tsw_prefix *at,
			       bool *gateway)
{
	const struct tsw_addr addr = tenancy_gateway(tenancy, at);

	*gateway = !addr_is_none(&addr);
	if (!tenancy->spec.dns || (tenancy->gateway.n && !tenancy->resolves))
		return (struct tsw_addr){};
	return *gateway ? addr : addr_service(addr_family(&at->addr));
}

int tenancy_mtu(const struct tenancy *tenancy, __u32 *mtu)
{
	if (!*mtu)
		*mtu = tenancy->mtu;
	if (*mtu >= MTU_MIN && *mtu <= tenancy->mtu)
		return 0;
	return misuse("mtu: %u is not between %d and the %u of tenant %s", *mtu, MTU_MIN,
		      tenancy->mtu, quoted(tenancy->spec.name.s));
}

int tenancy_publishes(const struct tenancy *tenancy, const char *what)
{
	return tenancy->gateway.n
		       ? 0
		       : fail(ENOENT, "%s: tenant %s has no gateway to publish a port at", what,
			      quoted(tenancy->spec.name.s));
}
