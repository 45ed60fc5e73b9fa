// SPDX-License-Identifier: GPL-2.0-only
/* The promises of `vip` and `prefix`, for red's A and B. */
#include <string.h>

#include <bpf/bpf.h>

#include "lab_world.h"
#include "promise.h"

/* Of vips, that of IPv4 first. Both may have the first two; the others are B's alone. */
static const char *const vips[] = {PROMISE_VIP, PROMISE_VIP6, PROMISE_VIP_B, PROMISE_VIP6_B};
enum { SHARED = 2, VIPS = COUNT(vips) };

static const struct {
	const char *ip;
	__u32 len;
	const char *mac;
} networks[] = {{"192.168.7.0", 24, MAC_A},
		{"fd07::", 64, MAC_A},
		{"192.168.8.0", 24, MAC_B},
		{"fd08::", 64, MAC_B}};

static __u8 vip_ip[VIPS][16], network_ip[COUNT(networks)][16];
static bool on, by_a, moved; /* MOVED: the tables do not have what by_a says */

static struct tsw_addr_key key_of(__u32 tenant, const char *ip)
{
	struct tsw_addr_key key = {.tenant = tenant};

	frame_ip((__u8 *)&key.addr, ip);
	return key;
}

static void held(__u32 tenant, const char *ip, const char *mac)
{
	const struct tsw_addr_key key = key_of(tenant, ip);
	struct tsw_addr_owner owner = {.kind = TSW_ADDR_VIP};
	struct tsw_taken taken = {};

	frame_mac(owner.mac.b, mac);
	frame_mac((__u8 *)&taken.mac, mac);
	lab_set(M_ADDRS, &key, &owner);
	lab_set(M_TAKEN, &key, &taken);
}

static void member(__u32 tenant, const char *mac, int n)
{
	struct tsw_fdb_key who = {.tenant = tenant};
	struct tsw_vips list = {};

	frame_mac(who.mac.b, mac);
	for (int i = 0; i < n; i++)
		frame_ip((__u8 *)&list.addr[i], vips[i]);
	lab_set(M_VIPS, &who, &list);
	lab_port_flag(tenant, mac, TSW_PORT_VIP);
}

void promise_words_set(bool set)
{
	on = moved = set;
	for (int i = 0; i < VIPS; i++)
		frame_ip(vip_ip[i], vips[i]);
	for (size_t i = 0; i < COUNT(networks); i++)
		frame_ip(network_ip[i], networks[i].ip);
	for (size_t i = 0; on && i < COUNT(networks); i++) {
		const bool v6 = strchr(networks[i].ip, ':');
		struct tsw_prefix_key key = {.of.tenant = RED};
		struct tsw_behind behind = {.len = (__u16)(networks[i].len + (v6 ? 0 : 96))};

		key.len = 32 + behind.len;
		frame_ip((__u8 *)&key.of.addr, networks[i].ip);
		frame_mac(behind.mac.b, networks[i].mac);
		lab_set(M_PREFIXES, &key, &behind);
	}
	for (int i = 0; on && i < 2; i++) {
		member(i ? BLUE : RED, MAC_A, SHARED);
		member(i ? BLUE : RED, MAC_B, VIPS);
	}
}

void promise_words_hold(bool a)
{
	if (a == by_a && !moved)
		return;
	by_a = a;
	moved = false;
	for (int i = 0; on && i < VIPS; i++) {
		held(RED, vips[i], a && i < SHARED ? MAC_A : MAC_B);
		held(BLUE, vips[i], MAC_B);
	}
}

/* Which of the vips it is; VIPS: none. */
static int vip_of(const __u8 *ip)
{
	int i;

	for (i = 0; i < VIPS && memcmp(ip, vip_ip[i], sizeof(vip_ip[i])); i++)
		;
	return i;
}

__u8 promise_owner(const __u8 *ip)
{
	const int vip = on ? vip_of(ip) : VIPS;

	if (vip < VIPS)
		return by_a && vip < SHARED ? 0x0a : 0x0b;
	/* A network of IPv6 is 8 octets; IPv4's are 3 behind the 12 of a mapped address. */
	for (size_t i = 0; on && i < COUNT(networks); i++)
		if (!memcmp(ip, network_ip[i], networks[i].len == 64 ? 8 : 15))
			return i < 2 ? 0x0a : 0x0b;
	return 0;
}

/* Does the frame announce this vip to all, as A's: by ARP, or as RFC 4861 section 7.2.6 says? */
static bool announces(const __u8 *eth, int vip)
{
	const __u8 *one = vip_ip[vip % VIPS];

	if (vip >= SHARED || !(eth[0] & 1))
		return false;
	if (!vip)
		return eth[12] == 0x08 && eth[13] == 0x06 && !memcmp(eth + 28, one + 12, 4);
	return eth[12] == 0x86 && eth[13] == 0xdd && eth[20] == 58 && eth[21] == 255 &&
	       eth[54] == 136 && (eth[58] & 0x60) == 0x20 && !memcmp(eth + 62, one, 16);
}

bool promise_words_source(const __u8 *eth, const __u8 *from)
{
	const int vip = on ? vip_of(from) : VIPS;

	return promise_owner(from) == 0x0a || (vip < VIPS && announces(eth, vip));
}

bool promise_words_kept(const struct frame *in)
{
	struct tsw_addr_owner owner = {};
	struct tsw_addr_key key;
	__u8 last;

	for (int i = 0; on && i < 2 * VIPS; i++) {
		const bool red = i < VIPS;

		key.tenant = red ? RED : BLUE;
		memcpy(&key.addr, vip_ip[i % VIPS], sizeof(key.addr));
		if (bpf_map_lookup_elem(lab_map(M_ADDRS), &key, &owner) != 0)
			return false;
		last = red && by_a && i < SHARED ? 0x0a : 0x0b;
		if (owner.mac.b[5] == last)
			continue;
		moved = true;
		if (!red || owner.mac.b[5] != 0x0a || !announces(in->b, i))
			return false;
	}
	return true;
}
