// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdio.h>

#include "base/problem.h"
#include "base/text.h"
#include "door/nat_ports.h"

#define SETTING "/proc/sys/net/ipv4/ip_local_port_range"

enum { LEAST = 1024, LAST_PORT = 65535 };

/* Those that the kernel gives to sockets which ask for none. */
static struct tsw_port_range hosts(void)
{
	struct tsw_port_range range = {};
	FILE *f = fopen(SETTING, "re");

	if (f && fscanf(f, "%u %u", &range.first, &range.last) != 2)
		range = (struct tsw_port_range){};
	if (f)
		fclose(f);
	return range;
}

static bool overlap(const struct tsw_port_range *a, const struct tsw_port_range *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* Below the host's or, where too few are left there, above them. */
static struct tsw_port_range choose(void)
{
	const struct tsw_port_range own = hosts();

	if (own.first > TSW_NAT_PORT_HIGH)
		return (struct tsw_port_range){TSW_NAT_PORT_LOW, TSW_NAT_PORT_HIGH};
	if (own.first >= TSW_NAT_PORT_LOW + LEAST)
		return (struct tsw_port_range){TSW_NAT_PORT_LOW, own.first - 1};
	if (own.last && own.last + LEAST <= LAST_PORT)
		return (struct tsw_port_range){
			own.last < TSW_NAT_PORT_LOW ? TSW_NAT_PORT_LOW : own.last + 1, LAST_PORT};
	return (struct tsw_port_range){TSW_NAT_PORT_LOW, TSW_NAT_PORT_HIGH};
}

struct tsw_port_range nat_ports_want(const struct tsw *t)
{
	const struct tsw_port_range asked = {t->config.nat_asked_low, t->config.nat_asked_high};

	return asked.first ? asked : choose();
}

void nat_ports_check(const struct tsw *t, json_t *problems)
{
	const struct tsw_port_range now = {t->config.nat_low, t->config.nat_high}, own = hosts();

	if (now.first && overlap(&now, &own))
		problem(problems, "nat_ports", "tsw-up",
			"by ports %s tenants leave through NAT, and the host's own connections by "
			"%u to %u (net.ipv4.ip_local_port_range)",
			ports_text(&now), own.first, own.last);
}
