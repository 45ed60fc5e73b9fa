/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose an address is: it is listed, made from a MAC, or in a network behind an endpoint, such as a
 * router or a VPN server.
 */
#ifndef TSW_BPF_CORE_OWNER_H
#define TSW_BPF_CORE_OWNER_H

#include "core/addr.h"

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct tsw_prefix_key);
	__type(value, struct tsw_behind);
} tsw_prefixes TSW_MAP;

TSW_HASH(tsw_prefix_lists, struct tsw_fdb_key, struct tsw_prefix_set); /* command alone */

#define PREFIX_WHOLE (8 * sizeof(struct tsw_addr_key)) /* length of a key for one address */

/*
 * Finds the MAC of the endpoint that has the address, or has it in a network behind it. False: no
 * such endpoint. Global, so that the verifier goes through it once. Both keys share their room,
 * because its callers leave little of the stack (Linux 6.1).
 */
__noinline int tsw_addr_owner(__u32 tenant, const struct tsw_addr *addr, struct tsw_mac *mac)
{
	union {
		struct tsw_fdb_key fdb;
		struct tsw_prefix_key prefix;
	} key = {};
	struct tsw_addr_owner *owner;
	struct tsw_behind *behind;

	if (!addr || !mac)
		return false;
	key.prefix.of = (struct tsw_addr_key){tenant, *addr};
	owner = bpf_map_lookup_elem(&tsw_addrs, &key.prefix.of);
	if (owner) {
		*mac = owner->mac;
		return true;
	}
	if (addr_is_eui64(addr, mac)) {
		key.fdb = (struct tsw_fdb_key){.tenant = tenant, .mac = *mac};
		if (bpf_map_lookup_elem(&tsw_fdb, &key.fdb))
			return true;
	}
	key.prefix = (struct tsw_prefix_key){.len = PREFIX_WHOLE, .of = {tenant, *addr}};
	behind = bpf_map_lookup_elem(&tsw_prefixes, &key.prefix);
	if (behind)
		*mac = behind->mac;
	return !!behind;
}

static __always_inline bool addr_owner(__u32 tenant, const struct tsw_addr *addr,
				       struct tsw_mac *mac)
{
	*mac = (struct tsw_mac){};
	return tsw_addr_owner(tenant, addr, mac);
}

#endif
