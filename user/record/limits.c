// SPDX-License-Identifier: GPL-2.0-only
#include "base/err.h"
#include "base/text.h"
#include "record/limits.h"

const struct tsw_mac limits_tenant;

static int load_fair(const struct tsw *t, __u32 tenant, struct tsw_limits *limits)
{
	struct tsw_fair fair = {};
	int err = map_get_or_zero(&t->maps, MAP_FAIR, &tenant, &fair);

	limits->connections = fair.connections;
	limits->half_open = fair.half_open;
	return err;
}

struct tsw_limit_key limits_key(__u32 tenant, const struct tsw_mac *mac)
{
	return (struct tsw_limit_key){.tenant = tenant, .mac = *mac};
}

bool limits_any(const struct tsw_limits *limits)
{
	return limits->rate[TSW_RATE_OUT] || limits->rate[TSW_RATE_IN];
}

int limits_settle(struct tsw_limits *limits, bool burst_given)
{
	if (limits_any(limits))
		return 0;
	if (burst_given && limits->burst)
		return misuse("burst %u goes with a rate: give rate-out or rate-in", limits->burst);
	limits->burst = 0;
	return 0;
}

bool limits_equal(const struct tsw_limits *a, const struct tsw_limits *b)
{
	return a->rate[TSW_RATE_OUT] == b->rate[TSW_RATE_OUT] &&
	       a->rate[TSW_RATE_IN] == b->rate[TSW_RATE_IN] && a->burst == b->burst &&
	       a->connections == b->connections && a->half_open == b->half_open;
}

struct tsw_limits limits_of(const struct tsw_limit *entry)
{
	return (struct tsw_limits){.rate = {entry->bucket[TSW_RATE_OUT].rate,
					    entry->bucket[TSW_RATE_IN].rate},
				   .burst = entry->burst};
}

int limits_load(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
		struct tsw_limits *limits)
{
	const struct tsw_limit_key key = limits_key(tenant, mac);
	struct tsw_limit entry = {};
	int err = map_get_or_zero(&t->maps, MAP_LIMITS, &key, &entry);

	*limits = limits_of(&entry);
	return !err && mac_equal(mac, &limits_tenant) ? load_fair(t, tenant, limits) : err;
}
