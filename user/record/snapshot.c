// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "record/snapshot.h"

static const enum map read_maps[] = {
	MAP_TENANTS,	  MAP_TENANT_IDS,  MAP_HOSTS,	     MAP_HOST_IDS,	MAP_VTEPS,
	MAP_PORTS,	  MAP_FDB,	   MAP_ADDRS,	     MAP_ENDPOINTS,	MAP_GROUPS,
	MAP_GATEWAYS,	  MAP_MARKS,	   MAP_LIMITS,	     MAP_PEERS,		MAP_PUBLISH,
	MAP_NAMES,	  MAP_MOVES,	   MAP_POLICIES,     MAP_POLICY_GROUPS, MAP_POLICY_MEMBERS,
	MAP_POLICY_RULES, MAP_POLICY_WAYS, MAP_FLOW_TABLES,  MAP_SHARES,	MAP_BINDINGS,
	MAP_BOUND,	  MAP_HOST_MTUS,   MAP_VIPS,	     MAP_TAKEN,		MAP_MACS,
	MAP_INNER,	  MAP_PREFIXES,	   MAP_PREFIX_LISTS,
};

enum { READ_MAPS = sizeof(read_maps) / sizeof(read_maps[0]) };

int snapshot_read(const struct tsw *t, struct snapshot *s)
{
	int err = 0, i;

	*s = (struct snapshot){};
	for (i = 0; !err && i < READ_MAPS; i++)
		err = snapshot_index(&t->maps, read_maps[i], s);
	return err;
}

const char *snapshot_tenant(const struct snapshot *s, __u32 tenant)
{
	const struct tsw_tenant *found = snapshot_get(s, MAP_TENANTS, &tenant);
	static _Thread_local char text[TSW_NAME_LEN + 1];

	if (found && found->name[0])
		snprintf(text, sizeof(text), "%.*s", TSW_NAME_LEN - 1, found->name);
	else
		snprintf(text, sizeof(text), "%u", tenant);
	return text;
}
