/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Link-local addresses that are not made from the MAC (RFC 7217, RFC 8981). Nobody lists them, so
 * who shows one first has it, as in RFC 6620. An endpoint keeps it until the endpoint is deleted,
 * or shows more than TSW_BINDINGS of them: then the longest unused one goes. Time alone takes
 * nothing from an endpoint that sleeps.
 */
#ifndef TSW_BPF_PORT_BINDING_H
#define TSW_BPF_PORT_BINDING_H

#include "core/owner.h"

#define BINDING_SECOND 1000000000ULL

TSW_HASH(tsw_bindings, struct tsw_addr_key, struct tsw_binding);
TSW_HASH(tsw_bound, struct tsw_fdb_key, struct tsw_bound);

/* One that a node makes for itself (RFC 4291 section 2.5.6), and not the routers' anycast. */
static __always_inline bool binding_may_be(const struct tsw_addr *a)
{
	return a->w[0] == bpf_htonl(0xfe800000) && !a->w[1] && (a->w[2] | a->w[3]);
}

/* Finds the MAC of the endpoint that shows the address, which is nobody's by addr_owner(). */
static __always_inline bool binding_owner(__u32 tenant, const struct tsw_addr *addr,
					  struct tsw_mac *mac)
{
	struct tsw_addr_key key = {.tenant = tenant, .addr = *addr};
	struct tsw_binding *binding = bpf_map_lookup_elem(&tsw_bindings, &key);

	if (binding)
		*mac = binding->mac;
	return binding;
}

static __always_inline __u64 binding_id(const struct tsw_addr *addr)
{
	return (__u64)addr->w[3] << 32 | addr->w[2];
}

/* Makes the key, which is of a link-local address already, that of this identifier. */
static __always_inline void binding_name(struct tsw_addr_key *key, __u64 id)
{
	key->addr.w[2] = (__u32)id;
	key->addr.w[3] = (__u32)(id >> 32);
}

/* Writes the key of the address to give up for one more: a free place, or the longest unused. */
static __always_inline __u32 binding_place(const struct tsw_bound *bound, struct tsw_addr_key *key)
{
	__u64 oldest = ~0ULL;
	__u32 place = 0;

	for (__u32 i = 0; i < TSW_BINDINGS; i++) {
		struct tsw_binding *old;
		__u64 used = 0;

		binding_name(key, bound->id[i]);
		old = bpf_map_lookup_elem(&tsw_bindings, key);
		if (old)
			used = old->used;
		if (used < oldest) {
			oldest = used;
			place = i;
		}
	}
	return place & (TSW_BINDINGS - 1);
}

static const struct tsw_bound binding_none;
/* Router advertisements come from its link-local address where a tenant has no gateway. */
static const struct tsw_mac binding_service = TSW_SERVICE_MAC;

/*
 * Binds an address that nobody has. Several CPUs may do so for one endpoint. Each entry of
 * tsw_bindings is made once, and the exchange gives each old one to one of them, which deletes it.
 * So an endpoint never has more than TSW_BINDINGS for longer than that takes.
 */
static __always_inline bool binding_make(const struct tsw_fdb_key *who, struct tsw_addr_key *key)
{
	const struct tsw_binding binding = {.mac = who->mac, .used = bpf_ktime_get_ns()};
	struct tsw_bound *bound = bpf_map_lookup_elem(&tsw_bound, who);
	const __u64 id = binding_id(&key->addr);

	if (!bound) {
		bpf_map_update_elem(&tsw_bound, who, &binding_none, BPF_NOEXIST);
		bound = bpf_map_lookup_elem(&tsw_bound, who);
	}
	if (!bound || bpf_map_update_elem(&tsw_bindings, key, &binding, BPF_NOEXIST))
		return false;
	binding_name(key, __sync_lock_test_and_set(&bound->id[binding_place(bound, key)], id));
	bpf_map_delete_elem(&tsw_bindings, key);
	return true;
}

/*
 * An endpoint sends from this address, or claims it. False: another one has it. Global, so that the
 * verifier goes through it once.
 */
__noinline int tsw_binding_use(__u32 tenant, const struct tsw_mac *mac, const struct tsw_addr *addr)
{
	struct tsw_addr_key key = {.tenant = tenant};
	struct tsw_fdb_key who = {.tenant = tenant};
	struct tsw_binding *binding;
	__u64 now;

	if (!mac || !addr)
		return false;
	key.addr = *addr;
	if (addr_owner(tenant, addr, &who.mac))
		return mac_equal(&who.mac, mac);
	if (mac_equal(&who.mac, &binding_service)) /* addr_owner() left the MAC in it */
		return false;
	who.mac = *mac;
	binding = bpf_map_lookup_elem(&tsw_bindings, &key);
	if (!binding)
		return binding_make(&who, &key);
	if (!mac_equal(&binding->mac, mac))
		return false;
	now = bpf_ktime_get_ns();
	if (now - binding->used > BINDING_SECOND)
		binding->used = now;
	return true;
}

#endif
