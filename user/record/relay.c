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
	int i;

	for (i = 0; i < TSW_FAMILIES; i++) {
		if (addr_is_none(&of[i]) || !parse_own_ip(addr_text(&of[i]), &unused))
			continue;
		fail_where("dhcp-relay: ");
		return -EINVAL;
	}
	return 0;
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
