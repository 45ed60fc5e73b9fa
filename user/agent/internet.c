// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <net/if.h>

#include "agent/internet.h"
#include "base/clock.h"
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

static bool is_any_reached(void)
{
	const struct tsw_addr any4 = addr_from_v4(0), any6 = {};
	const struct tsw_addr to4 = addr_from_v4(htonl(ROOT4));
	const struct tsw_addr to6 = {
		.w = {htonl(root6[0]), htonl(root6[1]), htonl(root6[2]), htonl(root6[3])}};

	return is_reached(&any4, &to4) || is_reached(&any6, &to6);
}

bool internet_step(const struct tsw *t, struct life_of *life)
{
	const bool reached = is_any_reached();
	const __u64 now = clock_kernel_ns();
	struct tsw_probe own = {};
	enum life is;

	map_get(&t->maps, MAP_PROBES, &(__u32){0}, &own);
	own.mine |= reached;
	is = own.mine && !reached ? LIFE_LAME : LIFE_ALIVE;
	own.diagnostic = is == LIFE_LAME ? TSW_BFD_PATH_DOWN : 0;
	own.answered = now;
	map_put(&t->maps, MAP_PROBES, &(__u32){0}, &own);
	if (life->life == is)
		return false;
	note(&t->log, "this host has %s",
	     is == LIFE_LAME ? "no route to the internet" : "a route to the internet again");
	*life = (struct life_of){.life = is, .since = now};
	return true;
}
