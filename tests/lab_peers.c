// SPDX-License-Identifier: GPL-2.0-only
#include "lab_peers.h"

void lab_peers_red_says(__u32 index)
{
	lab_peer(RED, BLUE_NET, 24, BLUE, index);
	lab_peer(RED, BLUE_NET6, 64, BLUE, index);
}

void lab_peers_blue_says(__u32 index)
{
	lab_peer(BLUE, RED_NET, 24, RED, index);
	lab_peer(BLUE, RED_NET6, 64, RED, index);
}

void lab_peers_addresses(void)
{
	static const __u32 all[] = {RED, BLUE, GREEN, LARGE};

	lab_gateway_mac(BLUE, MAC_G2);
	for (size_t i = 0; i < COUNT(all); i++) {
		if (all[i] == BLUE)
			continue;
		lab_addr(all[i], RED_IP, MAC_A);
		lab_addr(all[i], RED_IP6, MAC_A);
		lab_addr(all[i], RED_C, MAC_C);
	}
	lab_addr(RED, RED_TOO, MAC_A);
	lab_addr(BLUE, BLUE_IP, MAC_A);
	lab_addr(BLUE, BLUE_IP6, MAC_A);
	lab_addr(BLUE, BLUE_C, MAC_C);
	lab_mark(RED_TO_BLUE, RED, BLUE);
	lab_mark(BLUE_TO_RED, BLUE, RED);
}

void lab_peers_both(void)
{
	lab_peers_addresses();
	lab_peers_red_says(RED_TO_BLUE);
	lab_peers_blue_says(BLUE_TO_RED);
}

void lab_peers_behind_reds_a(const char *ip)
{
	struct tsw_prefix_key key = {.len = 32 + 96 + 24, .of.tenant = RED};
	struct tsw_behind behind = {.len = 96 + 24};

	frame_ip((__u8 *)&key.of.addr, ip);
	frame_mac(behind.mac.b, MAC_A);
	lab_set(M_PREFIXES, &key, &behind);
}

void lab_peers_blues_behind_a(void)
{
	lab_peers_both();
	lab_peers_behind_reds_a(BLUE_NET);
}

void lab_peers_red_elsewhere(void)
{
	lab_peers_both();
	lab_gateway(RED, HOST2, 0, 0);
}

void lab_peers_red_elsewhere_one_half(void)
{
	lab_peers_red_elsewhere();
	lab_peers_red_says(0);
}

void lab_peers_red_was_here(void)
{
	lab_peers_both();
	lab_gateway(RED, HOST2, 0, 100);
}
