/* SPDX-License-Identifier: GPL-2.0-only */
/* IP addresses: comparison, the forms that matter, and whose they are. */
#ifndef TSW_BPF_CORE_ADDR_H
#define TSW_BPF_CORE_ADDR_H

#include "core/fdb.h"

#define AF_UNSPEC 0
#define AF_INET 2
#define AF_INET6 10

TSW_HASH(tsw_addrs, struct tsw_addr_key, struct tsw_addr_owner);

static __always_inline struct tsw_addr addr_from_v4(__be32 ip)
{
	return (struct tsw_addr){.w = {0, 0, bpf_htonl(TSW_V4MAPPED), ip}};
}

static __always_inline bool addr_is_zero(const struct tsw_addr *a)
{
	return !(a->w[0] | a->w[1] | a->w[2] | a->w[3]);
}

static __always_inline bool addr_equal(const struct tsw_addr *a, const struct tsw_addr *b)
{
	return !((a->w[0] ^ b->w[0]) | (a->w[1] ^ b->w[1]) | (a->w[2] ^ b->w[2]) |
		 (a->w[3] ^ b->w[3]));
}

static __always_inline bool addr_is_v4mapped(const struct tsw_addr *a)
{
	return !(a->w[0] | a->w[1]) && a->w[2] == bpf_htonl(TSW_V4MAPPED);
}

static __always_inline bool addr_is_v6_multicast(const struct tsw_addr *a)
{
	return (a->w[0] & bpf_htonl(0xff000000)) == bpf_htonl(0xff000000);
}

/*
 * Not an address of one host: this network, loopback, multicast, broadcast (RFC 1122 3.2.1.3, RFC
 * 4291).
 */
static __always_inline bool addr_is_no_source(const struct tsw_addr *a)
{
	__u32 v4 = bpf_ntohl(a->w[3]);

	if (addr_is_v4mapped(a))
		return v4 >> 24 == 0 || v4 >> 24 == 127 || v4 >= 0xe0000000;
	return addr_is_v6_multicast(a) ||
	       (!(a->w[0] | a->w[1] | a->w[2]) && a->w[3] == bpf_htonl(1));
}

/* Link-local (RFC 3927, RFC 4291 section 2.5.6): no router forwards it. */
static __always_inline bool addr_is_link_local(const struct tsw_addr *a)
{
	if (addr_is_v4mapped(a))
		return (a->w[3] & bpf_htonl(0xffff0000)) == bpf_htonl(0xa9fe0000);
	return (a->w[0] & bpf_htonl(0xffc00000)) == bpf_htonl(0xfe800000);
}

/* An address at which the switch itself answers. No endpoint may have it. */
static __always_inline bool addr_is_service(const struct tsw_addr *a)
{
	if (a->w[3] == bpf_htonl(TSW_SERVICE_IP))
		return addr_is_v4mapped(a);
	return a->w[3] == bpf_htonl(TSW_SERVICE_IP6_LAST) &&
	       a->w[0] == bpf_htonl(TSW_SERVICE_IP6) && !(a->w[1] | a->w[2]);
}

static __always_inline bool addr_is_within(const struct tsw_addr *a, const struct tsw_prefix *net)
{
	for (__u32 i = 0; i < 4; i++) {
		__u32 bits = net->len > i * 32 ? net->len - i * 32 : 0;
		__u32 mask = bits >= 32 ? ~0U : ~(~0U >> (bits & 31));

		if ((a->w[i] ^ net->addr.w[i]) & bpf_htonl(mask))
			return false;
	}
	return true;
}

/*
 * Is this the link-local address made from a MAC (RFC 4291 appendix A)? The MAC goes to *mac.
 * Nobody lists these addresses, because a container's stack makes its own.
 */
static __always_inline bool addr_is_eui64(const struct tsw_addr *a, struct tsw_mac *mac)
{
	const __u8 *b = (const __u8 *)a;

	if (a->w[0] != bpf_htonl(0xfe800000) || a->w[1] || b[11] != 0xff || b[12] != 0xfe)
		return false;
	*mac = (struct tsw_mac){{b[8] ^ 2, b[9], b[10], b[13], b[14], b[15]}};
	return true;
}

/* Whose the address is by a list. NULL: it is in none. */
static __always_inline struct tsw_addr_owner *addr_listed(__u32 tenant, const struct tsw_addr *addr)
{
	struct tsw_addr_key key = {.tenant = tenant, .addr = *addr};

	return bpf_map_lookup_elem(&tsw_addrs, &key);
}

#endif
