// SPDX-License-Identifier: GPL-2.0-only
#include "frame.h"
#include "lab_vip.h"

struct tsw_addr_key lab_vip_key(__u32 tenant, const char *ip)
{
	struct tsw_addr_key key = {.tenant = tenant};

	frame_ip((__u8 *)&key.addr, ip);
	return key;
}

void lab_vip_member(__u32 tenant, const char *mac, const char *ip, const char *ip6)
{
	struct tsw_fdb_key who = {.tenant = tenant};
	struct tsw_vips vips = {};

	frame_mac(who.mac.b, mac);
	frame_ip((__u8 *)&vips.addr[0], ip);
	frame_ip((__u8 *)&vips.addr[1], ip6);
	lab_set(M_VIPS, &who, &vips);
	lab_port_flag(tenant, mac, TSW_PORT_VIP);
}

void lab_vip(__u32 tenant, const char *ip, const char *mac)
{
	const struct tsw_addr_key key = lab_vip_key(tenant, ip);
	struct tsw_addr_owner owner = {.kind = TSW_ADDR_VIP};
	struct tsw_taken taken = {};

	if (mac) {
		frame_mac(owner.mac.b, mac);
		frame_mac((__u8 *)&taken.mac, mac);
	}
	lab_set(M_ADDRS, &key, &owner);
	lab_set(M_TAKEN, &key, &taken);
}

void lab_vip_had_by(const char *mac)
{
	for (int i = 0; i < 2; i++) {
		const __u32 tenant = i ? BLUE : RED;

		lab_vip_member(tenant, MAC_A, LAB_VIP, LAB_VIP6);
		lab_vip_member(tenant, MAC_B, LAB_VIP, LAB_VIP6);
		lab_vip_member(tenant, MAC_C, LAB_VIP, LAB_VIP6);
		lab_vip(tenant, LAB_VIP, mac);
		lab_vip(tenant, LAB_VIP6, mac);
	}
	lab_port(RED_N, RED, MAC_N, 0);
	lab_clear(M_GROUPS);
	lab_gateway(RED, 0, 0, 0);
}

void lab_vip_nobody(void)
{
	lab_vip_had_by(NULL);
}

void lab_vip_a(void)
{
	lab_vip_had_by(MAC_A);
}

void lab_vip_b(void)
{
	lab_vip_had_by(MAC_B);
}
