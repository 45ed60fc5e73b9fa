// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "object/fair.h"
#include "object/limit.h"
#include "rules/rules.h"
#include "wire/mtu.h"

#define PORT_FLAGS                                                    \
	(TSW_PORT_LIMIT(TSW_RATE_OUT) | TSW_PORT_LIMIT(TSW_RATE_IN) | \
	 TSW_PORT_TENANT_LIMIT(TSW_RATE_OUT) | TSW_PORT_TENANT_LIMIT(TSW_RATE_IN))

/*
 * Milliseconds and octets, see docs/limits.md: what a bucket without `burst` holds at first, and
 * what it may hold after a pause, for TCP.
 */
enum { START_MS = 50, START_LEAST = 16 << 10, SAVED_MS = 350, SAVED_LEAST = 1 << 20 };

int limits_check(struct tsw *t, __u32 encap, __u32 mtu, const struct tsw_limits *limits)
{
	int err = limits->burst && !mtu ? tenant_mtu_limit(t, encap, &mtu) : 0;

	return err ?: rule_burst(limits, mtu);
}

/* MS in units of a bucket, or the longer time in which LEAST octets pass at RATE bit/s. */
static __u64 time_of(__u64 rate, __u64 ms, __u64 least)
{
	const __u64 time = (__u64)((unsigned __int128)least * TSW_LIMIT_BITS / rate);

	ms *= 1000000 * TSW_LIMIT_UNITS;
	return time > ms ? time : ms;
}

static struct tsw_bucket new_bucket(__u64 rate, __u32 burst)
{
	struct tsw_bucket bucket = {.rate = rate};

	if (!rate)
		return bucket;
	if (burst) {
		bucket.depth = time_of(rate, 0, burst);
		return bucket;
	}
	bucket.depth = time_of(rate, SAVED_MS, SAVED_LEAST);
	bucket.lacks = bucket.depth - time_of(rate, START_MS, START_LEAST);
	return bucket;
}

/* The MAC limits_tenant stands for the tenant itself. */
static bool is_tenant(const struct tsw_mac *mac)
{
	return mac_equal(mac, &limits_tenant);
}

int limits_put(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
	       const struct tsw_limits *limits)
{
	const struct tsw_limit_key key = limits_key(tenant, mac);
	struct tsw_limit old = {}, entry = {.burst = limits->burst};
	struct tsw_limits now;
	int err = is_tenant(mac) ? fair_put(t, tenant, limits) : 0, which;

	err = err ?: map_get(&t->maps, MAP_LIMITS, &key, &old);
	if (err && err != -ENOENT)
		return err;
	now = limits_of(&old);
	now.connections = limits->connections;
	now.half_open = limits->half_open;
	if (limits_equal(&now, limits))
		return 0;
	if (!limits_any(limits))
		return map_del(&t->maps, MAP_LIMITS, &key);
	for (which = 0; which < TSW_RATES; which++) {
		entry.bucket[which] = new_bucket(limits->rate[which], limits->burst);
		if (entry.bucket[which].rate == old.bucket[which].rate &&
		    entry.bucket[which].depth == old.bucket[which].depth)
			entry.bucket[which] = old.bucket[which];
	}
	return map_put(&t->maps, MAP_LIMITS, &key, &entry);
}

int limits_drop(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac)
{
	const struct tsw_limit_key key = limits_key(tenant, mac);
	int err = is_tenant(mac) ? fair_drop(t, tenant) : 0;

	return err ?: map_del(&t->maps, MAP_LIMITS, &key);
}

int limits_flags(const struct tsw *t, const struct tsw_port *port, __u32 *flags)
{
	struct tsw_limits endpoint, tenant;
	int err = limits_load(t, port->tenant, &port->mac, &endpoint), which;

	err = err ?: limits_load(t, port->tenant, &limits_tenant, &tenant);
	*flags = port->flags & ~PORT_FLAGS;
	for (which = 0; !err && which < TSW_RATES; which++) {
		if (endpoint.rate[which])
			*flags |= TSW_PORT_LIMIT(which);
		if (tenant.rate[which])
			*flags |= TSW_PORT_TENANT_LIMIT(which);
	}
	return err;
}

int limits_flag_ports(const struct tsw *t, __u32 tenant)
{
	cleanup_rows struct rows rows = {};
	struct tsw_port port;
	__u32 flags;
	size_t i;
	int err = map_rows(&t->maps, MAP_PORTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		memcpy(&port, row_value(&rows, i), sizeof(port));
		if (tenant && port.tenant != tenant)
			continue;
		err = limits_flags(t, &port, &flags);
		if (err || flags == port.flags)
			continue;
		port.flags = flags;
		err = map_put(&t->maps, MAP_PORTS, row_key(&rows, i), &port);
	}
	return err;
}
