// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "record/relay.h"

int relay_check(const struct tsw_tenant_spec *spec)
{
	const struct tsw_addr *of = spec->dhcp_relay.of;
	struct tsw_addr unused;

	if (!addr_is_none(&of[TSW_IPV6]))
		return fail(EINVAL, "dhcp-relay %s: only requests by IPv4 are relayed",
			    addr_text(&of[TSW_IPV6]));
	if (addr_is_none(&of[TSW_IPV4]) || !parse_own_ip(addr_text(&of[TSW_IPV4]), &unused))
		return 0;
	fail_where("dhcp-relay: ");
	return -EINVAL;
}

int relay_load(const struct tsw *t, struct tsw_tenant_spec *spec)
{
	struct tsw_relay relay;
	int err = map_get_or_zero(&t->maps, MAP_RELAYS, &spec->id, &relay);

	memcpy(spec->dhcp_relay.of, relay.server, sizeof(relay.server));
	return err;
}

int relay_put(const struct tsw *t, const struct tsw_tenant_spec *spec)
{
	struct tsw_relay relay;

	memcpy(relay.server, spec->dhcp_relay.of, sizeof(relay.server));
	return map_store(&t->maps, MAP_RELAYS, &spec->id, &relay);
}
