/* SPDX-License-Identifier: GPL-2.0-only */
/* DNS: finds the endpoint with the name or the address in question, in its own tenant alone. */
#ifndef TSW_BPF_ANSWER_DNS_FIND_H
#define TSW_BPF_ANSWER_DNS_FIND_H

#include "answer/dns_read.h"
#include "answer/domain.h"
#include "answer/lease.h"

#define DNS_NIBBLES (2 * sizeof(struct tsw_addr))

/* The domains of addresses' names: RFC 1035 section 3.5, RFC 3596 section 2.5. */
static const struct tsw_domain dns_in_addr = {.len = 13, .text = ".in-addr.arpa"};
static const struct tsw_domain dns_ip6 = {.len = 9, .text = ".ip6.arpa"};

static __always_inline char dns_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

/* ---- names ------------------------------------------------------------------------- */

struct dns_text {
	struct dns_asked *asked;
	const char *text;
	const struct tsw_domain *domain;
};

/* Compares from the end on. The domain's own name ends where its first dot would be. */
static long dns_domain_walk(__u32 i, struct dns_text *w)
{
	__u32 at = w->asked->name_len - 1 - i, domain_at = w->domain->len - 1 - i;
	char c = dns_lower(w->text[at & (REPLY_TEXT - 1)]);

	if (i >= w->asked->name_len)
		return 1;
	w->asked->differs = c != w->domain->text[domain_at & (TSW_DOMAIN_MAX - 1)];
	return w->asked->differs ? 1 : 0;
}

/* Is the name in that domain, or the domain itself? Case does not matter. */
static __noinline bool dns_is_in(struct dns_asked *asked, const char *text,
				 const struct tsw_domain *domain)
{
	struct dns_text w = {asked, text, domain};

	if (asked->odd || asked->name_len + 1 < domain->len || domain->len > TSW_DOMAIN_MAX)
		return false;
	asked->differs = false;
	bpf_loop(domain->len, dns_domain_walk, &w, 0);
	return !asked->differs;
}

struct dns_copy {
	char *name;
	const char *text;
	__u32 len;
	bool lower;
};

static long dns_copy_walk(__u32 i, struct dns_copy *w)
{
	char c = w->text[i & (REPLY_TEXT - 1)];

	w->name[i & (TSW_NAME_LEN - 1)] = i >= w->len ? 0 : w->lower ? dns_lower(c) : c;
	return 0;
}

/*
 * The endpoint whose name is the first len octets of the text. As written or, since some resolvers
 * change the case, in lower case.
 */
_Static_assert(sizeof(struct tsw_endpoint_key) <= REPLY_BUSY - REPLY_KEY, "its room");

static __noinline struct tsw_endpoint *dns_endpoint(__u32 tenant, const char *text, __u32 len)
{
	struct tsw_endpoint_key *key = reply_at(REPLY_KEY); /* there is no stack left for it */
	struct tsw_endpoint *ep;

	if (!key || len >= TSW_NAME_LEN)
		return NULL;
	struct dns_copy w = {key->name.s, text, len, false};

	key->tenant = tenant;
	bpf_loop(TSW_NAME_LEN, dns_copy_walk, &w, 0);
	ep = bpf_map_lookup_elem(&tsw_endpoints, key);
	if (ep)
		return ep;
	w.lower = true;
	bpf_loop(TSW_NAME_LEN, dns_copy_walk, &w, 0);
	return bpf_map_lookup_elem(&tsw_endpoints, key);
}

/* ---- addresses --------------------------------------------------------------------- */

/* An octet of `4.3.2.1`, which is 1.2.3.4. */
static long dns_octet_walk(__u32 i, struct dns_text *w)
{
	struct dns_asked *asked = w->asked;
	char c = w->text[i & (REPLY_TEXT - 1)];
	__u32 digit = (__u8)(c - '0');

	if (i == asked->name_len - dns_in_addr.len || c == '.') {
		asked->bad |= !asked->digits || asked->value > 255 || asked->numbers > 3;
		asked->addr.w[3] |= asked->value << (asked->numbers & 3) * 8;
		asked->numbers++;
		asked->value = asked->digits = 0;
		return asked->bad || i == asked->name_len - dns_in_addr.len;
	}
	/* No sign and no leading zero. */
	asked->bad |= digit > 9 || asked->digits > 2 || (asked->digits && !asked->value);
	asked->value = asked->value * 10 + digit;
	asked->digits++;
	return asked->bad ? 1 : 0;
}

/* Four bits of an IPv6 address, its last ones first, and a dot. */
static long dns_nibble_walk(__u32 i, struct dns_text *w)
{
	struct dns_asked *asked = w->asked;
	char c = dns_lower(w->text[i * 2 & (REPLY_TEXT - 1)]);
	char dot = w->text[(i * 2 + 1) & (REPLY_TEXT - 1)];
	__u32 digit = (__u8)(c - '0'), letter = (__u8)(c - 'a');

	asked->bad |= (digit > 9 && letter > 5) || dot != '.';
	digit = digit > 9 ? letter + 10 : digit;
	asked->addr.w[(3 - i / 8) & 3] |= (digit & 15) << (i & 7) * 4;
	return asked->bad ? 1 : 0;
}

static __always_inline bool dns_read_octets(struct dns_asked *asked, const char *text)
{
	struct dns_text w = {asked, text, NULL};

	bpf_loop(sizeof("255.255.255.255"), dns_octet_walk, &w, 0);
	asked->addr = addr_from_v4(bpf_htonl(asked->addr.w[3]));
	return !asked->bad && asked->numbers == 4;
}

static __always_inline bool dns_read_nibbles(struct dns_asked *asked, const char *text)
{
	struct dns_text w = {asked, text, NULL};

	if (asked->name_len != DNS_NIBBLES * 2 - 1 + dns_ip6.len)
		return false;
	bpf_loop(DNS_NIBBLES, dns_nibble_walk, &w, 0);
	for (int i = 0; i < 4; i++)
		asked->addr.w[i] = bpf_htonl(asked->addr.w[i]);
	return !asked->bad && !addr_is_v4mapped(&asked->addr);
}

/* Is it the name of an address, and of which one? */
static __always_inline void dns_read_addr(struct dns_asked *asked, const char *text)
{
	if (dns_is_in(asked, text, &dns_in_addr))
		asked->is_addr = dns_read_octets(asked, text);
	else if (dns_is_in(asked, text, &dns_ip6))
		asked->is_addr = dns_read_nibbles(asked, text);
}

/* The name of the endpoint that has the address. */
static __noinline struct tsw_name *dns_owner(__u32 tenant, const struct tsw_addr *addr)
{
	struct tsw_addr_key *key = reply_at(REPLY_KEY); /* there is no stack left for it */
	struct tsw_fdb_key of = {.tenant = tenant};
	struct tsw_addr_owner *owner;

	if (!key)
		return NULL;
	key->tenant = tenant;
	key->addr = *addr;
	owner = bpf_map_lookup_elem(&tsw_addrs, key);
	if (!owner)
		return NULL;
	of.mac = owner->mac;
	return bpf_map_lookup_elem(&tsw_names, &of);
}

/* Is the address in a network of the tenant? Then no other server knows a name for it either. */
static __noinline bool dns_is_own(__u32 tenant, const struct tsw_addr *addr)
{
	return lease_search(tenant, addr).found;
}

#endif
