/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * MACs behind a port, as of a bridge or a macvlan in a container (`macs N`). The rest of the switch
 * knows only the endpoint's own MAC: port/macs.h translates what comes from an inner MAC, and this
 * file what goes to one, by the address that the frame is for.
 */
#ifndef TSW_BPF_CORE_INNER_H
#define TSW_BPF_CORE_INNER_H

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#include "core/addr.h"
#include "core/port.h"

TSW_HASH(tsw_macs, struct tsw_fdb_key, __u32);
TSW_HASH(tsw_inner, struct tsw_fdb_key, struct tsw_inner);

#define INNER_ARP_MAC 18    /* offset of the target's MAC in ARP for IPv4 */
#define INNER_ARP_TARGET 24 /* and of the target's address */
#define INNER_SETS (TSW_INNER_ADDRS / TSW_INNER_WAYS)
#define INNER_SECOND 1000000000ULL
#define INNER_STALE (30 * INNER_SECOND) /* ask again for an address that was silent so long */
#define INNER_BUSY (~0ULL)		/* in place of a MAC: a program writes the address */

static const struct tsw_inner inner_none;

/* What is behind the endpoint's port. NULL: it lacks the word `macs`, or the map is full. */
static __always_inline struct tsw_inner *inner_get(const struct tsw_fdb_key *who)
{
	struct tsw_inner *inner = bpf_map_lookup_elem(&tsw_inner, who);

	if (inner || !bpf_map_lookup_elem(&tsw_macs, who))
		return inner;
	bpf_map_update_elem(&tsw_inner, who, &inner_none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&tsw_inner, who);
}

/* A MAC as one word, as it is in tsw_inner. */
static __always_inline __u64 inner_word(const struct tsw_mac *mac)
{
	const struct tsw_inner_mac entry = {.mac = *mac};
	__u64 word;

	__builtin_memcpy(&word, &entry, sizeof(word));
	return word;
}

static __always_inline volatile __u64 *inner_mac_at(struct tsw_inner_mac *entry)
{
	return (volatile __u64 *)&entry->mac;
}

static __always_inline volatile __u64 *inner_addr_at(struct tsw_inner_addr *entry)
{
	return (volatile __u64 *)&entry->mac;
}

/* The first of the address's places. Addresses in a row, as most are, get different ones. */
static __always_inline __u32 inner_set(const struct tsw_addr *addr)
{
	const __u32 low = bpf_ntohl(addr->w[3]);

	return ((low ^ low >> 16 ^ bpf_ntohl(addr->w[1])) & (INNER_SETS - 1)) * TSW_INNER_WAYS;
}

/* The mask shows the verifier of Linux 6.1 that the place is within the array. */
static __always_inline struct tsw_inner_addr *inner_place(struct tsw_inner *inner, __u32 at)
{
	TSW_KEEP(at);
	return &inner->addr[at & (TSW_INNER_ADDRS - 1)];
}

/* Finds the place of the address, and its MAC as *word. NULL: the address has no place. */
static __always_inline struct tsw_inner_addr *inner_find(struct tsw_inner *inner,
							 const struct tsw_addr *addr, __u64 *word)
{
	const __u32 set = inner_set(addr);

	for (__u32 i = 0; i < TSW_INNER_WAYS; i++) {
		struct tsw_inner_addr *at = inner_place(inner, set + i);

		*word = *inner_addr_at(at);
		if (*word && *word != INNER_BUSY && addr_equal(&at->addr, addr) &&
		    *inner_addr_at(at) == *word)
			return at;
	}
	return NULL;
}

/* Reads a frame's destination address. Returns its ethertype; 0: it has no such address. */
static __always_inline __be16 inner_target(struct __sk_buff *skb, struct tsw_addr *to)
{
	const __u32 off = ETH_HLEN + offsetof(struct ipv6hdr, daddr);
	__u8 first; /* octet of the destination */
	__be16 type;

	if (bpf_skb_load_bytes(skb, 0, &first, sizeof(first)) || first & 1 ||
	    bpf_skb_load_bytes(skb, ETH_HLEN - sizeof(type), &type, sizeof(type)))
		return 0;
	if (type == bpf_htons(ETH_P_IPV6))
		return bpf_skb_load_bytes(skb, off, to, sizeof(*to)) ? 0 : type;
	*to = addr_from_v4(0);
	if (type == bpf_htons(ETH_P_IP))
		bpf_skb_load_bytes(skb, ETH_HLEN + offsetof(struct iphdr, daddr), &to->w[3],
				   sizeof(to->w[3]));
	else if (type == bpf_htons(ETH_P_ARP))
		bpf_skb_load_bytes(skb, ETH_HLEN + INNER_ARP_TARGET, &to->w[3], sizeof(to->w[3]));
	else
		return 0;
	return type;
}

/* Writes the inner MAC as the destination, in an ARP message also as the target's MAC. */
static __always_inline void inner_write(struct __sk_buff *skb, __be16 type, __u64 word)
{
	if (type == bpf_htons(ETH_P_ARP))
		bpf_skb_store_bytes(skb, ETH_HLEN + INNER_ARP_MAC, &word, ETH_ALEN, 0);
	bpf_skb_store_bytes(skb, 0, &word, ETH_ALEN, 0);
}

#define INNER_ASKS_AGAIN 100000000ULL /* ns */

enum inner_led { INNER_LED, INNER_ASK };

/* 0, or an error. See port/macs_ask.h; the core includes no feature, and names it only here. */
int tsw_macs_ask(struct __sk_buff *skb, __u32 ifindex);

/* A frame to the port is looked up by one key, then by the other: the stack is nearly full. */
union inner_key {
	struct tsw_addr_key addr;
	struct tsw_fdb_key fdb; /* the tenant is at the same place */
};

/*
 * Whether to ask now who behind the port has the address. Only for the endpoint's own addresses:
 * others are behind a router there. While a command changes the endpoint's MAC, an address may have
 * its other MAC, which leads to the port, too. Not for each frame, since perhaps nobody has the
 * address. Overwrites *KEY.
 */
static __always_inline bool inner_may_ask(const struct tsw_port *port, struct tsw_inner *inner,
					  union inner_key *key, __u32 ifindex)
{
	const __u32 set = inner_set(&key->addr.addr) / TSW_INNER_WAYS;
	const __u64 now = bpf_ktime_get_ns();
	__u64 *asked = &inner->asked[set & (INNER_SETS - 1)];
	struct tsw_addr_owner *owner;
	struct tsw_fdb *to;

	if (now - *asked < INNER_ASKS_AGAIN)
		return false;
	owner = bpf_map_lookup_elem(&tsw_addrs, &key->addr);
	if (!owner)
		return false;
	if (!mac_equal(&owner->mac, &port->mac)) {
		key->fdb = (struct tsw_fdb_key){.tenant = port->tenant, .mac = owner->mac};
		to = bpf_map_lookup_elem(&tsw_fdb, &key->fdb);
		if (!to || to->place != TSW_PLACE_PORT || to->id != ifindex)
			return false;
	}
	*asked = now;
	return true;
}

/*
 * Writes the inner MAC that has the frame's destination address, which may be the port's own: while
 * that is changed, the frame has another. INNER_ASK: no MAC is known for it, or that MAC was silent
 * for long. An ARP answer to a probe has no destination address, so all behind the port get it.
 * Global: the verifier goes through it once.
 */
__noinline int tsw_inner_to(struct __sk_buff *skb, __u32 ifindex)
{
	struct tsw_port *port = port_get(ifindex);
	union inner_key key = {};
	struct tsw_inner_addr *at;
	struct tsw_inner *inner;
	__u64 word;
	__be16 type;

	if (!port)
		return INNER_LED;
	key.fdb = (struct tsw_fdb_key){.tenant = port->tenant, .mac = port->mac};
	inner = inner_get(&key.fdb);
	type = inner_target(skb, &key.addr.addr);
	if (!type || !inner)
		return INNER_LED;
	if (!key.addr.addr.w[3] && type == bpf_htons(ETH_P_ARP)) {
		inner_write(skb, 0, ~0ULL);
		return INNER_LED;
	}
	at = inner_find(inner, &key.addr.addr, &word);
	if (at)
		inner_write(skb, type, word);
	if (type == bpf_htons(ETH_P_ARP) || (at && bpf_ktime_get_ns() - at->seen < INNER_STALE))
		return INNER_LED;
	return inner_may_ask(port, inner, &key, ifindex) ? INNER_ASK : INNER_LED;
}

#endif
