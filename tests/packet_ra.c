// SPDX-License-Identifier: GPL-2.0-only
/*
 * Router solicitations and advertisements at the port: what a client is told of its router and of
 * names, and when.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab6.h"

#define ND .kind = KIND_ICMP, .ttl = 255
#define RS                                                                                     \
	ND, .icmp_type = 133, .rest = "00000000", .dst = "33:33:00:00:00:02", .to = "ff02::2", \
	    .from = LL6_A
#define ADVERT_NET " 0304 40 80 ffffffff ffffffff 00000000 fd000000000000000000000000000000"
#define ADVERT_TAIL ADVERT_NET " 0501 0000 00000596"
#define RDNSS "1903 0000 0000ffff fd0000000000000000000000000000fe"
#define SERVICE_HEX "fd000ec2000000000000000000000253"
#define RDNSS_ALONE                                                               \
	"0304 7f 80 ffffffff ffffffff 00000000 fd000ec2000000000000000000000252 " \
	"1903 0000 0000ffff" SERVICE_HEX
#define DNSSL "1f04 0000 0000ffff" WIRE "000000000000"
#define ADVERT                                                                        \
	ND, .icmp_type = 134, .src = MAC_G, .from = LL6_G, .dst = MAC_A, .to = LL6_A, \
	    .rest = "40 80 ffff 00000000 00000000", .tail = "0101 0200000000fe" ADVERT_TAIL
#define ADVERT_ALONE                                                   \
	ADVERT, .src = MAC_SERVICE, .from = "fe80::74:73ff:fe77:a9fd", \
		.rest = "40 80 0000 00000000 00000000", .tail = "0101 02747377a9fd" ADVERT_TAIL
#define ROUTER_ON_LINK "0304 7f 80 ffffffff ffffffff 00000000 fd0000000000000000000000000000fe "
#define NS_OF_ROUTER                                                                         \
	ND, .icmp_type = 135, .rest = "00000000", .dst = "33:33:ff:00:00:fe", .from = IP6_A, \
	    .to = "ff02::1:ff00:fe", .target = IP6_G
#define NS_OF_SERVICE \
	NS_OF_ROUTER, .dst = "33:33:ff:00:02:53", .to = "ff02::1:ff00:253", .target = IP6_SERVICE
#define NA_OF_ROUTER                                                                         \
	ND, .icmp_type = 136, .rest = "60000000", .src = MAC_G, .from = IP6_G, .dst = MAC_A, \
	    .to = IP6_A, .target = IP6_G, .tail = "0201 0200000000fe"
#define TO_SERVERS                                                                                \
	.from = LL6_A, .to = "ff02::1:2", .dst = "33:33:00:01:00:02", .sport = 546, .dport = 547, \
	.payload = 50
#define ANSWERED_TO_A .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED)

static const struct packet_case cases[] = {
	{"solicitation", .in = {RS}, ANSWERED_TO_A, .out = &(const struct spec){ADVERT},
	 .setup = lab6_usual},
	{"solicitation with an option", .in = {RS, .tail = "0101 02000000000a"}, ANSWERED_TO_A,
	 .out = &(const struct spec){ADVERT}, .setup = lab6_usual},
	{"solicitation without an address", .in = {RS, .from = "::"}, ANSWERED_TO_A,
	 .out = &(const struct spec){ADVERT, .dst = "33:33:00:00:00:01", .to = "ff02::1"},
	 .setup = lab6_usual},
	{"no gateway", .in = {RS}, ANSWERED_TO_A, .setup = lab6_no_gateway,
	 .out = &(const struct spec){ADVERT_ALONE}},
	{"a name server without a gateway", .in = {RS}, ANSWERED_TO_A, .setup = lab6_named_alone,
	 .out = &(const struct spec){ADVERT_ALONE RDNSS_ALONE DNSSL}},
	{"the same, the longest", .in = {RS}, ANSWERED_TO_A, .setup = lab6_longest_alone,
	 .out = &(const struct spec){ADVERT_ALONE RDNSS_ALONE "1f11 0000 0000ffff" LONGEST}},
	{"a name server, and a domain", .in = {RS}, ANSWERED_TO_A, .setup = lab6_named,
	 .out = &(const struct spec){ADVERT, .tail = "0101 0200000000fe" ADVERT_TAIL RDNSS DNSSL}},
	{"never a default route", .in = {RS}, ANSWERED_TO_A, .setup = lab6_never_default,
	 .out =
		 &(const struct spec){
			 ADVERT, .rest = "40 80 0000 00000000 00000000",
			 .tail = "0101 0200000000fe" ADVERT_TAIL ROUTER_ON_LINK RDNSS DNSSL}},
	{"no domain", .in = {RS}, ANSWERED_TO_A, .setup = lab6_no_domain,
	 .out = &(const struct spec){ADVERT, .tail = "0101 0200000000fe" ADVERT_TAIL RDNSS}},
	{"the longest domain", .in = {RS}, ANSWERED_TO_A, .setup = lab6_longest_name,
	 .out = &(const struct spec){ADVERT, .tail = "0101 0200000000fe" ADVERT_TAIL RDNSS
						     "1f11 0000 0000ffff" LONGEST}},
	{"dhcp off", .in = {RS}, .setup = lab6_dhcp_off},
	{"IPv4 alone", .in = {RS}, .setup = lab6_four_alone},
	/* It gets the advertisement, too; of its stamp nothing may go into the container. */
	{"a router as a neighbour, its peer elsewhere", .in = {NS_OF_ROUTER}, ANSWERED_TO_A,
	 .to = 0, .out = &(const struct spec){NA_OF_ROUTER}, .setup = lab6_peer_elsewhere},
	{"a router as a neighbour, unknown who asks", .in = {NS_OF_ROUTER, .from = "::"},
	 ANSWERED_TO_A, .setup = lab6_usual,
	 .out = &(const struct spec){NA_OF_ROUTER, .to = "ff02::1", .dst = "33:33:00:00:00:01",
				     .rest = "20000000"}},
	{"a neighbour", .in = {NS_OF_ROUTER, .to = "ff02::1:ff00:2", .target = IP6_B},
	 ANSWERED_TO_A, .setup = lab6_usual,
	 .out = &(const struct spec){NA_OF_ROUTER, .src = MAC_B, .from = IP6_B, .target = IP6_B,
				     .tail = "0201 02000000000b"}},
	{"solicitation, an MTU that IPv6 does not have", .in = {RS}, ANSWERED_TO_A,
	 .setup = lab6_narrow,
	 .out = &(const struct spec){ADVERT, .tail = "0101 0200000000fe" ADVERT_NET}},
	{"solicitation, while another is answered", .in = {RS}, .setup = lab6_busy,
	 .drop = TSW_DROP_INTERNAL},
	{"a DHCPv6 server of its own", .in = {RS}, ANSWERED_TO_A,
	 .out = &(const struct spec){ADVERT}, .setup = lab6_relayed},
	{"the same, an endpoint without addresses", .dev = RED_N,
	 .in = {RS, .src = MAC_N, .from = LL6_N}, ANSWERED_TO_A, .to = RED_N,
	 .out = &(const struct spec){ADVERT, .dst = MAC_N, .to = LL6_N}, .setup = lab6_relayed},
	{"an endpoint without addresses", .dev = RED_N, .in = {RS, .src = MAC_N, .from = LL6_N},
	 .setup = lab6_usual},
	{"another hop limit", .in = {RS, .ttl = 64}, .setup = lab6_usual},
};

static const struct {
	const char *name;
	struct spec in;
	void (*setup)(void);
	int want;
	__u8 type; /* of DHCPv6 */
} besides[] = {
	{"the router", {NS_OF_ROUTER}, lab6_usual, 1},
	{"the router, never a default route", {NS_OF_ROUTER}, lab6_never_default, 1},
	{"a neighbour", {NS_OF_ROUTER, .to = "ff02::1:ff00:2", .target = IP6_B}, lab6_usual, 0},
	{"unknown who asks", {NS_OF_ROUTER, .from = "::"}, lab6_usual, 0},
	{"dhcp off", {NS_OF_ROUTER}, lab6_dhcp_off, 0},
	{"IPv4 alone", {NS_OF_ROUTER}, lab6_four_alone, 0},
	{"who answers for names", {NS_OF_SERVICE}, lab6_named_alone, 1},
	{"who answers, and not for names", {NS_OF_SERVICE}, lab6_no_gateway, 0},
	{"the same beside a router", {NS_OF_SERVICE}, lab6_named, 0},
	{"a relayed renewal", {TO_SERVERS}, lab6_relayed, 1, 5},
	{"a relayed rebind", {TO_SERVERS, .payload = 500}, lab6_relayed, 1, 6},
	{"a relayed request", {TO_SERVERS}, lab6_relayed, 0, 3},
	{"a relayed renewal that is longer", {TO_SERVERS, .payload = 600}, lab6_relayed, 0, 5},
	{"a renewal to the server itself",
	 {TO_SERVERS, .from = IP6_A, .to = IP6_B, .dst = MAC_B},
	 lab6_relayed,
	 0,
	 5},
};

/*
 * Beside a neighbour's answer the router's own advertisement is sent, to who asks for the router
 * and has it by DHCPv6. It is a copy, which no run shows: it is heard at the endpoint's end.
 */
static void beside(void **state)
{
	const int tap = lab_tap("pra1");
	struct packet_run ran;
	struct frame router, in, got;
	size_t i;
	int n;

	(void)state;
	frame_build(&besides[0].in, &router);
	for (i = 0; i < COUNT(besides); i++) {
		lab_fill();
		/* Before it one whose lease is left in the room; behind it one that is heard. */
		lab6_usual();
		asked_run(&router, 0, &ran);
		besides[i].setup();
		frame_build(&besides[i].in, &in);
		if (besides[i].type)
			in.b[62] = besides[i].type;
		asked_run(&in, 0, &ran);
		lab_fill();
		lab6_usual();
		asked_run(&router, 0, &ran);
		for (n = -2; lab_heard(tap, n < besides[i].want ? 1000 : 0, &got); n++)
			assert_int_equal(got.b[54], 134);
		if (n != besides[i].want)
			print_error("%s: %d advertisements\n", besides[i].name, n);
		assert_int_equal(n, besides[i].want);
	}
	close(tap);
}

int main(void)
{
	static const struct CMUnitTest more[] = {
		{"a router beside a neighbour", beside, NULL, NULL, NULL},
	};
	const struct packet_suite suite = {"ra", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
