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

#define INNER_ARP_MAC 18    /* in an ARP message for IPv4: the target's MAC */
#define INNER_ARP_TARGET 24 /* and its address */
#define INNER_SETS (TSW_INNER_ADDRS / TSW_INNER_WAYS)
#define INNER_BUSY (~0ULL) /* in place of a MAC: a program writes the address */

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

/* The first of the places that the address may have: the last octets of most are in a row. */
static __always_inline __u32 inner_set(const struct tsw_addr *addr)
{
	const __u32 low = bpf_ntohl(addr->w[3]);

	return ((low ^ low >> 16 ^ bpf_ntohl(addr->w[1])) & (INNER_SETS - 1)) * TSW_INNER_WAYS;
}

/* The mask shows the verifier of 6.1 that the place is within. */
static __always_inline struct tsw_inner_addr *inner_place(struct tsw_inner *inner, __u32 at)
{
	TSW_KEEP(at);
	return &inner->addr[at & (TSW_INNER_ADDRS - 1)];
}

/* The place that has the address; NULL: none has. *word: what is its MAC's. */
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

/* Reads the address that a frame to a port is for. False: it has none. */
static __always_inline bool inner_target(struct __sk_buff *skb, struct tsw_addr *to)
{
	struct tsw_mac dst;
	__be32 v4 = 0;
	__be16 type;

	if (bpf_skb_load_bytes(skb, 0, &dst, sizeof(dst)) || mac_is_group(&dst) ||
	    bpf_skb_load_bytes(skb, ETH_HLEN - sizeof(type), &type, sizeof(type)))
		return false;
	if (type == bpf_htons(ETH_P_IPV6))
		return !bpf_skb_load_bytes(skb, ETH_HLEN + offsetof(struct ipv6hdr, daddr), to,
					   sizeof(*to));
	if (type == bpf_htons(ETH_P_IP))
		bpf_skb_load_bytes(skb, ETH_HLEN + offsetof(struct iphdr, daddr), &v4, sizeof(v4));
	else if (type == bpf_htons(ETH_P_ARP))
		bpf_skb_load_bytes(skb, ETH_HLEN + INNER_ARP_TARGET, &v4, sizeof(v4));
	*to = addr_from_v4(v4);
	return v4;
}

/* Writes the inner MAC as the destination. ARP says it once more. */
static __always_inline bool inner_write(struct __sk_buff *skb, __u64 word)
{
	struct tsw_inner_mac entry;
	__be16 type = 0;

	__builtin_memcpy(&entry, &word, sizeof(word));
	bpf_skb_load_bytes(skb, ETH_HLEN - sizeof(type), &type, sizeof(type));
	if (type == bpf_htons(ETH_P_ARP))
		bpf_skb_store_bytes(skb, ETH_HLEN + INNER_ARP_MAC, &entry.mac, sizeof(entry.mac),
				    0);
	return !bpf_skb_store_bytes(skb, 0, &entry.mac, sizeof(entry.mac), 0);
}

/*
 * Leads a frame to the port on to the inner MAC that has its destination. True: this is not the
 * endpoint's own, so the container's device must look at it. Global: the verifier goes through it
 * once.
 */
__noinline int tsw_inner_to(struct __sk_buff *skb, __u32 ifindex)
{
	struct tsw_port *port = port_get(ifindex);
	struct tsw_fdb_key who = {};
	struct tsw_inner *inner;
	struct tsw_addr to;
	__u64 word;

	if (!port || !inner_target(skb, &to))
		return false;
	who.tenant = port->tenant;
	who.mac = port->mac;
	inner = bpf_map_lookup_elem(&tsw_inner, &who);
	if (!inner || !inner_find(inner, &to, &word) || word == inner_word(&who.mac))
		return false;
	return inner_write(skb, word);
}

#endif
