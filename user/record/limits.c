// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "record/limits.h"
#include "store/tsw.h"

const struct tsw_mac limits_tenant;

static int load_fair(const struct tsw *t, __u32 tenant, struct limits *limits)
{
	struct tsw_fair fair = {};
	int err = map_get(&t->maps, MAP_FAIR, &tenant, &fair);

	if (err)
		return err == -ENOENT ? 0 : err;
	limits->connections = fair.connections;
	limits->half_open = fair.half_open;
	return 0;
}

struct tsw_limit_key limits_key(__u32 tenant, const struct tsw_mac *mac)
{
	return (struct tsw_limit_key){.tenant = tenant, .mac = *mac};
}

static void add_number(json_t *item, const char *key, __u64 value)
{
	if (value)
		json_object_set_new(item, key, json_integer((json_int_t)value));
}

bool limits_equal(const struct limits *a, const struct limits *b)
{
	return a->rate[TSW_WAY_OUT] == b->rate[TSW_WAY_OUT] &&
	       a->rate[TSW_WAY_IN] == b->rate[TSW_WAY_IN] && a->burst == b->burst &&
	       a->connections == b->connections && a->half_open == b->half_open;
}

void limits_json(const struct limits *limits, json_t *item)
{
	add_number(item, "rate_out", limits->rate[TSW_WAY_OUT]);
	add_number(item, "rate_in", limits->rate[TSW_WAY_IN]);
	add_number(item, "burst", limits->burst);
}

struct limits limits_of(const struct tsw_limit *entry)
{
	return (struct limits){.rate = {entry->bucket[TSW_WAY_OUT].rate,
					entry->bucket[TSW_WAY_IN].rate},
			       .burst = entry->burst};
}

int limits_load(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac, struct limits *limits)
{
	const struct tsw_limit_key key = limits_key(tenant, mac);
	struct tsw_limit entry = {};
	int err = map_get(&t->maps, MAP_LIMITS, &key, &entry);

	*limits = limits_of(&entry);
	if (err && err != -ENOENT)
		return err;
	return mac_equal(mac, &limits_tenant) ? load_fair(t, tenant, limits) : 0;
}
