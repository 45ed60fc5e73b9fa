/* SPDX-License-Identifier: GPL-2.0-only */
/* The forwarding table: {tenant, MAC} gives a port of this host, another host, or the gateway. */
#ifndef TSW_BPF_CORE_FDB_H
#define TSW_BPF_CORE_FDB_H

#include "core/base.h"

TSW_HASH(tsw_fdb, struct tsw_fdb_key, struct tsw_fdb);
TSW_HASH(tsw_groups, struct tsw_group_key, struct tsw_group);

static __always_inline bool mac_equal(const struct tsw_mac *a, const struct tsw_mac *b)
{
	const __u16 *x = (const __u16 *)a, *y = (const __u16 *)b;

	return !((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]));
}

static __always_inline bool mac_is_group(const struct tsw_mac *mac)
{
	return mac->b[0] & 1;
}

static __always_inline struct tsw_fdb *fdb_get(__u32 tenant, const struct tsw_mac *mac)
{
	struct tsw_fdb_key key = {.tenant = tenant, .mac = *mac};

	return bpf_map_lookup_elem(&tsw_fdb, &key);
}

/*
 * Does the MAC lead to this port? More than one does while a command changes an endpoint's MAC,
 * which takes several writes. The port may still have the old MAC, and an address the new one.
 */
static __always_inline bool fdb_is_port(__u32 tenant, const struct tsw_mac *mac, __u32 ifindex)
{
	struct tsw_fdb *to = fdb_get(tenant, mac);

	return to && to->place == TSW_PLACE_PORT && to->id == ifindex;
}

#endif
