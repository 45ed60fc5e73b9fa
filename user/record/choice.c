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
 * Not the network's own address nor its broadcast; of IPv6 not the anycast address of its routers
 * (RFC 4291 section 2.6.1). Of a link with two ends both are hosts' (RFC 3021, RFC 6164).
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
 * At random, so that two hosts that do not know of each other hardly take the same. The quadrant
 * is the one that administrators give out (IEEE 802c): local, unicast, the next two bits zero.
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
