// SPDX-License-Identifier: GPL-2.0-only
/*
 * IEEE 802.3 frames. What LLC or SNAP would carry past the guards to a receiver that unpacks it
 * (RFC 1042, VU#855201) is dropped on each way; other protocols of LLC pass as they did.
 */
#include "packet.h"

#define LENGTH 0x0040
#define UI "aaaa03"
#define IPV4 "4500002000004000401166cb0a0000020a000001" /* from B, whose address is not A's */
#define ARP                            \
	"0001080006040002020000000001" \
	"0a0000fe0200000000020a000002"
#define RA                                                                                 \
	"6000000000103afffe80000000000000000000fffe00000aff020000000000000000000000000001" \
	"8600000040000708"

static const struct form {
	const char *name;
	__u16 type;
	const char *octets;
	bool passes;
} forms[] = {
	{"IPv4", LENGTH,
	 UI "000000"
	    "0800" IPV4},
	{"IPv6", LENGTH,
	 UI "000000"
	    "86dd" RA},
	{"ARP", LENGTH,
	 UI "000000"
	    "0806" ARP},
	{"RARP", LENGTH,
	 UI "000000"
	    "8035" ARP},
	{"IPv4 by 802.1H", LENGTH,
	 UI "0000f8"
	    "0800" IPV4},
	{"IPv6 by 802.1H", LENGTH,
	 UI "0000f8"
	    "86dd" RA},
	{"ARP by 802.1H", LENGTH,
	 UI "0000f8"
	    "0806" ARP},
	{"the least length", 1,
	 UI "000000"
	    "0800" IPV4},
	{"the greatest length", 1500,
	 UI "000000"
	    "0800" IPV4},
	{"neither a length nor a type", 1535,
	 UI "000000"
	    "0800" IPV4},
	{"LLC behind its own type", 0x8870,
	 UI "000000"
	    "0800" IPV4},
	{"a VLAN tag inside", LENGTH,
	 UI "000000"
	    "8100"
	    "0000"
	    "0800" IPV4},
	{"a service tag inside", LENGTH,
	 UI "0000f8"
	    "88a8"
	    "0000"
	    "86dd" RA},
	{"a second SNAP header", LENGTH,
	 UI "000000"
	    "0020" UI "000000"
	    "0800" IPV4},
	{"MPLS inside", LENGTH,
	 UI "000000"
	    "8847"
	    "00010140" IPV4},
	{"PPPoE inside", LENGTH,
	 UI "000000"
	    "8864"
	    "110000010016"
	    "0021" IPV4},
	{"Ethernet inside", LENGTH,
	 UI "000000"
	    "6558"
	    "02000000000a"
	    "02000000000b"
	    "0800" IPV4},
	{"any other type", LENGTH,
	 UI "000000"
	    "88b5" IPV4},
	{"a group's access point", LENGTH,
	 "abaa03"
	 "000000"
	 "0800" IPV4},
	{"a response's access point", LENGTH,
	 "aaab03"
	 "000000"
	 "0800" IPV4},
	{"the final bit", LENGTH,
	 "aaaa13"
	 "000000"
	 "0800" IPV4},
	{"a numbered frame", LENGTH,
	 "aaaa0000"
	 "000000"
	 "0800" IPV4},
	{"IPv4 by its access point", LENGTH, "060603" IPV4},
	{"IPv4 by that of its group", LENGTH, "070603" IPV4},
	{"ARP by its access point", LENGTH, "989803" ARP},

	{"spanning tree", LENGTH,
	 "424203"
	 "0000000000" IPV4,
	 true},
	{"IPX", LENGTH,
	 "e0e003"
	 "ffff0022" IPV4,
	 true},
	{"IPX without LLC", LENGTH, "ffff0022" IPV4, true},
	{"IPX by SNAP", LENGTH,
	 UI "000000"
	    "8137"
	    "ffff0022" IPV4,
	 true},
	{"AppleTalk's ARP", LENGTH,
	 UI "000000"
	    "80f3" ARP,
	 true},
	{"AppleTalk's ARP by 802.1H", LENGTH,
	 UI "0000f8"
	    "80f3" ARP,
	 true},
	{"AppleTalk", LENGTH,
	 UI "080007"
	    "809b" IPV4,
	 true},
	{"a vendor's", LENGTH,
	 UI "00000c"
	    "2000" IPV4,
	 true},
	{"a vendor's 0800", LENGTH,
	 UI "080007"
	    "0800" IPV4,
	 true},
	{"IS-IS", LENGTH,
	 "fefe03"
	 "831b0100" IPV4,
	 true},
	{"as SNAP, but with a type", 0x88b5,
	 UI "000000"
	    "0800" IPV4,
	 true},
};

static struct spec raw(const struct form *form, const char *src, const char *dst)
{
	return (struct spec){.kind = KIND_RAW,
			     .src = src,
			     .dst = dst,
			     .type = form->type,
			     .rest = form->octets,
			     .payload = 20};
}

static void check(const struct form *form, struct packet_case c)
{
	c.name = form->name;
	if (!form->passes) {
		c.verdict = DROPPED;
		c.to = c.moves = c.host = 0;
		c.out = NULL;
		c.drop = TSW_DROP_SNAP;
	}
	packet_check(&c);
}

static void from_port(void **state)
{
	const struct form *form = *state;

	check(form, (struct packet_case){.in = raw(form, MAC_A, MAC_B),
					 .verdict = REDIRECTED,
					 .to = RED_B,
					 .moves = MOVE(LOCAL)});
}

static void no_members(void)
{
	lab_clear(M_GROUPS);
}

static void to_all(void **state)
{
	const struct form *form = *state;

	check(form,
	      (struct packet_case){.in = raw(form, MAC_A, MAC_BROADCAST), .setup = no_members});
}

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
}

static void to_host(void **state)
{
	const struct form *form = *state;

	check(form, (struct packet_case){.in = raw(form, MAC_A, MAC_C),
					 .verdict = REDIRECTED,
					 .moves = MOVE(TX) | MOVE(SLOW_TX),
					 .host = HOST2,
					 .setup = slow_path});
}

static void from_wire(void **state)
{
	const struct form *form = *state;

	for (size_t i = 0; i < WIRES; i++) {
		const struct spec in = raw(form, MAC_C, MAC_A);
		struct packet_case c = {.program = FROM_WIRE,
					.in = in,
					.verdict = REDIRECTED,
					.out = &in,
					.to = RED_A,
					.moves = MOVE(RX),
					.host = HOST2};

		c.in.outer = &packet_wires[i].outer;
		print_message("%s\n", packet_wires[i].name);
		check(form, c);
	}
}

static void from_wire_to_all(void **state)
{
	const struct form *form = *state;
	struct packet_case c = {.program = FROM_WIRE,
				.in = raw(form, MAC_C, MAC_BROADCAST),
				.moves = MOVE(RX),
				.host = HOST2,
				.setup = no_members};

	c.in.outer = &packet_wires[0].outer;
	check(form, c);
}

/* What is not IP never comes from there; it is told apart all the same. */
static void from_gateway(void **state)
{
	const struct form *form = *state;
	struct packet_case c = {.program = FROM_GATEWAY,
				.mark = 0x74500001,
				.in = raw(form, MAC_G, MAC_A),
				.drop = TSW_DROP_UNKNOWN_DESTINATION};

	check(form, c);
}

int main(void)
{
	const struct CMUnitTest checks[] = {
		cmocka_unit_test(from_port),	    cmocka_unit_test(to_all),
		cmocka_unit_test(to_host),	    cmocka_unit_test(from_wire),
		cmocka_unit_test(from_wire_to_all), cmocka_unit_test(from_gateway),
	};

	return packet_main_matrix(&(const struct packet_matrix){
		"snap", checks, COUNT(checks), forms, sizeof(forms[0]), COUNT(forms)});
}
