// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <net/if.h>

#include "agent/internet.h"
#include "base/text.h"
#include "kernel/link.h"
#include "kernel/route.h"

/* The address of a.root-servers.net, which is public and permanent. */
#define ROOT4 0xc6290004 /* 198.41.0.4 */
static const __u32 root6[] = {0x20010503, 0xba3e0000, 0, 0x00020030};

static bool is_reached(const struct tsw_addr *from, const struct tsw_addr *to)
{
	const __u32 running = IFF_UP | IFF_RUNNING;
	struct route route;
	struct link link;

	return !route_ask(from, to, &route) && !link_by_index(route.ifindex, &link) &&
	       (link.flags & running) == running;
}

bool internet_is_reached(void)
{
	const struct tsw_addr any4 = addr_from_v4(0), any6 = {};
	const struct tsw_addr to4 = addr_from_v4(htonl(ROOT4));
	const struct tsw_addr to6 = {
		.w = {htonl(root6[0]), htonl(root6[1]), htonl(root6[2]), htonl(root6[3])}};

	return is_reached(&any4, &to4) || is_reached(&any6, &to6);
}
