// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/err.h"
#include "base/text.h"
#include "record/choice.h"

addr_number number_of_addr(const struct tsw_addr *addr)
{
	addr_number n = 0;
	int i;

	for (i = 0; i < 4; i++)
		n = n << 32 | ntohl(addr->w[i]);
	return n;
}

struct tsw_addr addr_of_number(addr_number n)
{
	struct tsw_addr addr;
	int i;

	for (i = 3; i >= 0; i--, n >>= 32)
		addr.w[i] = htonl((__u32)n);
	return addr;
}

/*
 * Leaves out the network's own address and its broadcast address, and for IPv6 the anycast address
 * of routers (RFC 4291 section 2.6.1). On a link with two ends hosts have both addresses (RFC 3021,
 * RFC 6164).
 */
struct choice choice_of(const struct tsw_prefix *net)
{
	const struct tsw_addr first = prefix_first(net), last = prefix_last(net);
	const bool wide = net->len < 127;

	return (struct choice){number_of_addr(&first) + wide,
			       number_of_addr(&last) - (wide && addr_is_v4(&first))};
}

bool choice_has(const struct choice *choice, const struct tsw_addr *addr)
{
	const addr_number n = number_of_addr(addr);

	return n >= choice->first && n <= choice->last;
}

bool choice_keeps(const struct choice *choice, const struct tsw_addr *all, unsigned int n,
		  const struct tsw_addr_list *others, struct tsw_addr *addr)
{
	for (; n; n--, all++)
		if (choice_has(choice, all) && !addr_list_has(others, all)) {
			*addr = *all;
			return true;
		}
	return false;
}

/*
 * A random choice makes it unlikely that two hosts, unaware of each other, choose the same MAC. The
 * MAC is local and unicast with the next two bits zero, as IEEE 802c reserves for administrators.
 */
int choice_mac(struct tsw_mac *mac)
{
	if (getrandom(mac, sizeof(*mac), 0) != sizeof(*mac))
		return fail(errno, "cannot get random octets: %s", strerror(errno));
	mac->b[0] = (__u8)((mac->b[0] & 0xf0) | 0x02);
	return 0;
}

struct tsw_mac gateway_mac(__u32 tenant)
{
	return (struct tsw_mac){{0x02, 0x74, (__u8)(tenant >> 24), (__u8)(tenant >> 16),
				 (__u8)(tenant >> 8), (__u8)tenant}};
}
