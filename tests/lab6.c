// SPDX-License-Identifier: GPL-2.0-only
#include "lab6.h"

void lab6_usual(void)
{
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DHCP);
	lab_name(RED, MAC_A, "a1", IP6_A);
	lab_clear(M_GROUPS);
	lab_clear(M_RELAYS);
	lab_net(RED, "fd00::", 64);
}

void lab6_relayed(void)
{
	struct tsw_relay relay = {};
	const __u32 red = RED;

	lab6_usual();
	frame_ip((__u8 *)&relay.server[TSW_IPV6], IP6_B);
	lab_set(M_RELAYS, &red, &relay);
	lab_name(RED, MAC_N, "n1", IP_UNKNOWN);
}

void lab6_dhcp_off(void)
{
	lab6_usual();
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST);
}

void lab6_no_gateway(void)
{
	lab6_usual();
	lab_gateway_unset(RED);
}

static void with_domain(const char *name)
{
	lab6_usual();
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DHCP | TSW_TENANT_DNS);
	lab_domain(RED, name);
}

void lab6_named(void)
{
	with_domain("red.tsw.internal");
}

void lab6_never_default(void)
{
	lab6_named();
	lab_tenant_flag(RED, TSW_TENANT_NEVER_DEFAULT);
}

void lab6_longest_name(void)
{
	with_domain(D63 "." D59 "xyz");
}

void lab6_named_alone(void)
{
	lab6_named();
	lab_gateway_unset(RED);
}

void lab6_longest_alone(void)
{
	lab6_longest_name();
	lab_gateway_unset(RED);
}

void lab6_no_domain(void)
{
	const __u32 red = RED;

	lab6_named();
	lab_unset(M_DOMAINS, &red);
}

void lab6_four_alone(void)
{
	lab6_usual();
	lab_name(RED, MAC_A, "a1", IP_A);
}

void lab6_peer_elsewhere(void)
{
	lab6_usual();
	lab_port(RED_A, RED, MAC_A, TSW_PORT_GUARD_IP | TSW_PORT_PEER);
}

void lab6_narrow(void)
{
	lab6_usual();
	lab_tenant(RED, 1279, TSW_TENANT_BROADCAST | TSW_TENANT_DHCP);
}

void lab6_busy(void)
{
	lab6_usual();
	lab_reply_busy(true);
}
