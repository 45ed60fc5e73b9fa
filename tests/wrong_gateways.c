// SPDX-License-Identifier: GPL-2.0-only
#include "wrong_gateways.h"

static void gateway_at_blue(void)
{
	lab_fdb(RED, MAC_G, TSW_PLACE_PORT, BLUE_A);
	lab_addr(RED, IP_WORLD, MAC_G);
}

static void gateway_on_a_host(void)
{
	lab_fdb(RED, MAC_G, TSW_PLACE_HOST, HOST3);
}

static void endpoint_is_gateway(void)
{
	lab_fdb(RED, MAC_A, TSW_PLACE_GATEWAY, BLUE_A);
	lab_fdb(RED, MAC_C, TSW_PLACE_GATEWAY, HOST2);
}

static void no_gateway_of_red(void)
{
	lab_gateway_unset(RED);
}

static void gateway_without_addresses(void)
{
	struct tsw_addr_key key = {.tenant = RED};

	frame_ip((__u8 *)&key.addr, IP_G);
	lab_unset(M_ADDRS, &key);
	frame_ip((__u8 *)&key.addr, IP6_G);
	lab_unset(M_ADDRS, &key);
}

static void gateways_move(void)
{
	lab_gateway(RED, 0, HOST2, 100);
	lab_gateway(BLUE, HOST2, 0, 100);
	lab_gateway(GREEN, HOST3, HOST2, 100);
}

static void gateway_goes(void)
{
	lab_gateway(RED, HOST2, 0, 100);
	lab_gateway(BLUE, 0, HOST2, 100);
}

static void gateway_was_nowhere(void)
{
	lab_gateway(RED, HOST_GONE, HOST_GONE, 100);
}

static void flows_of_blue(void)
{
	lab_flow(&(const struct lab_flow){.tenant = BLUE,
					  .src = IP_A,
					  .dst = IP_WORLD,
					  .sport = 1000,
					  .dport = 2000,
					  .proto = 17,
					  .host = HOST3});
	lab_gateway(RED, 0, HOST2, 100);
}

/* What red says of blue opens nothing, with whatever index. */
static void red_alone_peers(void)
{
	lab_peer(RED, IP_WORLD, 24, BLUE, 2);
	lab_peer(RED, IP6_WORLD, 64, BLUE, 2);
	lab_peer(RED, IP_B, 32, BLUE, 2);
}

static void blue_alone_peers(void)
{
	lab_peer(BLUE, IP_A, 32, RED, 2);
	lab_peer(BLUE, IP6_A, 128, RED, 2);
	lab_peer(RED, IP_WORLD, 24, BLUE, 0);
	lab_peer(RED, IP6_WORLD, 64, BLUE, 0);
}

#define PEERING 0x101

/* Their gateways have other MACs, or red's would be blue's too. */
static void red_and_blue_peer(void)
{
	lab_gateway_mac(BLUE, "02:74:00:00:00:c8");
	lab_peer(RED, IP_WORLD, 24, BLUE, PEERING);
	lab_peer(RED, IP6_WORLD, 64, BLUE, PEERING);
	lab_peer(BLUE, IP_A, 32, RED, 0x102);
	lab_peer(BLUE, IP6_A, 128, RED, 0x102);
	lab_mark(PEERING, RED, BLUE);
	lab_mark(0x102, BLUE, RED);
}

/* The other half came to another pair. */
static void peers_in_a_ring(void)
{
	lab_peer(RED, IP_WORLD, 24, BLUE, PEERING);
	lab_peer(BLUE, IP_A, 32, GREEN, 0x102);
	lab_peer(GREEN, IP_WORLD, 24, RED, 0x103);
}

/* As after a crash: an index is no proof, what it stands for is. */
static void gateway_with_blues_index(void)
{
	struct tsw_gateway gw;

	lab_gateway_get(RED, &gw);
	gw.index = 2;
	lab_gateway_set(RED, &gw);
}

static void gateway_with_nobodys_index(void)
{
	struct tsw_gateway gw;

	lab_gateway_get(RED, &gw);
	gw.index = 77;
	lab_gateway_set(RED, &gw);
}

static void peers_with_blues_index(void)
{
	red_and_blue_peer();
	lab_peer(RED, IP_WORLD, 24, BLUE, 2);
	lab_peer(RED, IP6_WORLD, 64, BLUE, 77);
}

static void others_peer(void)
{
	lab_peer(BLUE, IP_WORLD, 24, GREEN, 9);
	lab_peer(GREEN, IP_A, 24, BLUE, 10);
	lab_mark(9, BLUE, GREEN);
	lab_mark(10, GREEN, BLUE);
}

const struct wrong wrong_gateways[WRONG_GATEWAYS] = {
	{"red's gateway is blue's port", gateway_at_blue, 0},
	{"red's gateway is an endpoint on a host", gateway_on_a_host, 0},
	{"red's endpoints are gateways", endpoint_is_gateway, 0},
	{"red's gateway is not there", no_gateway_of_red, 0},
	{"red's gateway has no addresses", gateway_without_addresses, 0},
	{"red's gateway comes, blue's goes", gateways_move, 0},
	{"red's gateway goes, blue's comes", gateway_goes, 0},
	{"red's gateway is and was nowhere", gateway_was_nowhere, 0},
	{"blue has red's flows", flows_of_blue, 0},
	{"red alone says that blue is its peer", red_alone_peers, 0},
	{"blue alone says that red is its peer", blue_alone_peers, 0},
	{"red and blue are peers", red_and_blue_peer, PEERING},
	{"red's gateway has blue's index", gateway_with_blues_index, 0},
	{"red's gateway has nobody's index", gateway_with_nobodys_index, 0},
	{"red's peering has blue's index", peers_with_blues_index, PEERING},
	{"three agree in a ring", peers_in_a_ring, 0},
	{"blue's and green's networks are red's and the world's", others_peer, 0},
};
