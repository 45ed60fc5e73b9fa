// SPDX-License-Identifier: GPL-2.0-only
/* Geneve from other hosts and to them: each bit of its header, options of others, whose it is. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "packet.h"

#define GENEVE_FROM_HOST2 FROM_HOST2, .geneve = true
#define VIOLET_FROM_HOST2 GENEVE_FROM_HOST2, .vni = VIOLET
#define VIOLET_FROM_STRANGER TO_US, .from = IP_STRANGER, .geneve = true, .vni = VIOLET

/* The header's bits, in its first word: RFC 8926 section 3.4. */
#define VERSION_1 0x40000000U
#define CONTROL 0x00800000U
#define CRITICAL 0x00400000U
#define RESERVED 0x003f0000U
#define ALL_WORDS 0x3f000000U

/* Options, section 3.5: class, type, length in words behind these four octets. */
#define SHORT "0102 03 00 "
#define ONE "0102 03 01 11111111 "
#define WORDS_5 "22222222 22222222 22222222 22222222 22222222 "
#define WORDS_30 WORDS_5 WORDS_5 WORDS_5 WORDS_5 WORDS_5 WORDS_5
#define LONGEST "ffff 7f 1f " WORDS_30 "33333333 "
#define SHORTS_15 \
	SHORT SHORT SHORT SHORT SHORT SHORT SHORT SHORT SHORT SHORT SHORT SHORT SHORT SHORT SHORT
#define MUST_KNOW "0102 83 00 "

static const struct outer violet = {VIOLET_FROM_HOST2};
static const struct outer violet_host3 = {FROM_HOST3, .geneve = true, .vni = VIOLET};
static const struct outer violet_host4 = {FROM6_HOST4, .geneve = true, .vni = VIOLET};
static const struct outer violet_six = {FROM6_HOST2, .geneve = true, .vni = VIOLET};
static const struct outer in_vxlan = {FROM_HOST2, .vni = VIOLET};
static const struct outer in_gre = {FROM_HOST2, .gre = true, .vni = VIOLET};
static const struct outer red = {GENEVE_FROM_HOST2};
static const struct outer blue = {FROM_HOST3, .geneve = true, .vni = BLUE};
static const struct outer nobody = {GENEVE_FROM_HOST2, .vni = 300};
static const struct outer nobody_vxlan = {FROM_HOST2, .vni = 300};
static const struct outer id_0 = {GENEVE_FROM_HOST2, .vni = 1U << 24};
static const struct outer summed = {VIOLET_FROM_HOST2, .csum = CSUM_DONE};
static const struct outer summed_six = {FROM6_HOST2, .geneve = true, .vni = VIOLET,
					.csum = CSUM_DONE};
static const struct outer wrong_sum = {VIOLET_FROM_HOST2, .csum = CSUM_DONE, .csum_lie = 1};
static const struct outer wrong_sum_options = {VIOLET_FROM_HOST2, .csum = CSUM_DONE, .csum_lie = 1,
					       .tlvs = ONE};
static const struct outer reserved = {VIOLET_FROM_HOST2, .flip = RESERVED, .reserved = 0xff};
static const struct outer ttl_1 = {VIOLET_FROM_HOST2, .ttl = 1, .frag = 0x4000};
static const struct outer short_one = {VIOLET_FROM_HOST2, .tlvs = SHORT};
static const struct outer one = {VIOLET_FROM_HOST2, .tlvs = ONE};
static const struct outer two = {VIOLET_FROM_HOST2, .tlvs = ONE SHORT};
static const struct outer longest = {VIOLET_FROM_HOST2, .tlvs = LONGEST};
static const struct outer most = {VIOLET_FROM_HOST2, .tlvs = LONGEST "0001 01 1e " WORDS_30};
static const struct outer most_six = {FROM6_HOST2, .geneve = true, .vni = VIOLET, .csum = CSUM_DONE,
				      .tlvs = LONGEST "0001 01 1e " WORDS_30};
static const struct outer many = {
	VIOLET_FROM_HOST2, .tlvs = SHORTS_15 SHORTS_15 SHORTS_15 SHORTS_15 SHORT SHORT SHORT};
static const struct outer option_reserved = {VIOLET_FROM_HOST2, .tlvs = "0102 03 e0"};
static const struct outer critical = {VIOLET_FROM_HOST2, .flip = CRITICAL};
static const struct outer critical_option = {VIOLET_FROM_HOST2, .flip = CRITICAL,
					     .tlvs = MUST_KNOW};
static const struct outer c_forgotten = {VIOLET_FROM_HOST2, .tlvs = ONE MUST_KNOW SHORT};
static const struct outer c_forgotten_last = {
	VIOLET_FROM_HOST2, .tlvs = SHORTS_15 SHORTS_15 SHORTS_15 SHORTS_15 SHORT SHORT MUST_KNOW};
static const struct outer c_alone = {VIOLET_FROM_HOST2, .flip = CRITICAL, .tlvs = ONE};
static const struct outer critical_six = {FROM6_HOST2, .geneve = true, .vni = VIOLET,
					  .tlvs = MUST_KNOW};
static const struct outer option_overruns = {VIOLET_FROM_HOST2, .tlvs = ONE "0102 03 01"};
static const struct outer option_overruns_far = {VIOLET_FROM_HOST2, .tlvs = "0102 03 1f"};
static const struct outer overruns = {VIOLET_FROM_HOST2, .flip = ALL_WORDS};
static const struct outer version_1 = {VIOLET_FROM_HOST2, .flip = VERSION_1};
static const struct outer version_1_critical = {VIOLET_FROM_HOST2, .flip = VERSION_1 | CRITICAL};
static const struct outer control = {VIOLET_FROM_HOST2, .flip = CONTROL};
static const struct outer ip_inside = {VIOLET_FROM_HOST2, .flip = 0x6558 ^ 0x0800};
static const struct outer options = {VIOLET_FROM_HOST2, .options = "94040000"};
static const struct outer fragment = {VIOLET_FROM_HOST2, .frag = 0x2000};
static const struct outer later = {VIOLET_FROM_HOST2, .frag = 0x0001};
static const struct outer behind_six = {FROM6_HOST2, .geneve = true, .vni = VIOLET, .next = 60,
					.options = "1100010400000000"};
static const struct outer other_ip = {VIOLET_FROM_HOST2, .to = "192.0.2.9"};
static const struct outer other_mac = {VIOLET_FROM_HOST2, .dst = MAC_HOST3};
static const struct outer other_port = {VIOLET_FROM_HOST2, .dport = 6082};
static const struct outer vxlans_port = {FROM_HOST2, .vni = VIOLET, .dport = 6081};
static const struct outer stranger = {VIOLET_FROM_STRANGER};
static const struct outer stranger_critical = {VIOLET_FROM_STRANGER, .flip = CRITICAL};
static const struct outer stranger_nobody = {TO_US, .from = IP_STRANGER, .geneve = true,
					     .vni = 300};
static const struct outer congested = {VIOLET_FROM_HOST2, .tos = 3};
static const struct outer dscp = {VIOLET_FROM_HOST2, .tos = 0xb8};

#define V4 .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A
#define V6 .src = MAC_C, .dst = MAC_A, .from = IP6_C, .to = IP6_A
#define ARP .kind = KIND_ARP, .op = 2, V4
#define WIRE_IN(header, ...) \
	.program = FROM_WIRE, .tenant = VIOLET, .in = {__VA_ARGS__, .outer = &(header)}
#define GOT(header, ...)                                                                        \
	WIRE_IN(header, __VA_ARGS__), .out = &(const struct spec){__VA_ARGS__},                 \
				      .verdict = REDIRECTED, .to = VIOLET_A, .moves = MOVE(RX), \
				      .host = HOST2
#define PASSES .verdict = PASSED
#define UNKNOWN_HOST .drop = TSW_DROP_UNKNOWN_HOST
#define WRONG_HOST .drop = TSW_DROP_WRONG_HOST
#define BAD_HEADER .drop = TSW_DROP_BAD_TUNNEL_HEADER
#define MUST_BE_KNOWN .drop = TSW_DROP_CRITICAL_OPTION
#define SUPER(n) .gso_size = 500, .gso_segs = 2, .size = {2, 962 + 62}
#define TO_XDP(name, header) .program = name, .in = {V4, .outer = &(header)}

static void no_violet(void)
{
	__u32 tenant = VIOLET;

	lab_unset(M_TENANTS, &tenant);
}

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, TSW_CFG_DECAP_L3);
}

static void old_kernel(void)
{
	lab_config_flag(0, TSW_CFG_DECAP_L3);
}

/* The same with port and header of RFC 7348 section 5. */
static void as_vxlan(const struct frame *in, struct frame *out)
{
	static const __u8 port[] = {4789 >> 8, 4789 & 0xff}, flags[] = {8, 0, 0, 0};
	__u8 *udp = out->b + 14 + (in->b[12] == 0x86 ? 40 : 20);

	memcpy(udp + 2, port, sizeof(port));
	memcpy(udp + 8, flags, sizeof(flags));
	udp[15] = 0;
}

static void device(void)
{
	lab_config_geneve(GNV);
	lab_config_flag(0, TSW_CFG_DECAP_L3);
}

/* `up` refuses it: then VXLAN has the port, and Geneve none. */
static void vxlan_by_6081(void)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.port = htons(6081);
	lab_config_set(&cfg);
}

static const struct packet_case cases[] = {
	{"UDP over IPv4", GOT(violet, V4, .payload = 77)},
	{"UDP over IPv6", GOT(violet, V6, .payload = 77)},
	{"TCP over IPv4", GOT(violet, V4, .kind = KIND_TCP, .payload = 5)},
	{"ARP", GOT(violet, ARP)},
	{"not IP", GOT(violet, .kind = KIND_RAW, .type = 0x88b5, V4, .payload = 33)},
	{"from host 3", GOT(violet_host3, V4, .src = MAC_D, .from = IP_D), .host = HOST3},
	{"from host 4", GOT(violet_host4, V4, .src = MAC_E, .from = IP_E), .host = HOST4},
	{"from host 2 by IPv6", GOT(violet_six, V6)},
	{"in VXLAN", GOT(in_vxlan, V4)},
	{"in GRE", GOT(in_gre, V4)},
	{"red's in Geneve", GOT(red, V4), .to = RED_A, .tenant = RED},
	{"blue's in Geneve", GOT(blue, V4), .to = BLUE_A, .tenant = BLUE, .host = HOST3},
	{"last TTL, DF clear", GOT(ttl_1, V4)},
	{"DSCP stays outside", GOT(dscp, V4)},
	{"with a checksum", GOT(summed, V4, .payload = 31)},
	{"with a checksum over IPv6", GOT(summed_six, V4, .payload = 31)},
	{"all that is reserved is set", GOT(reserved, V4)},
	{"VXLAN by that port, where it is the switch's", GOT(vxlans_port, V4),
	 .setup = vxlan_by_6081},

	{"an option without octets", GOT(short_one, V4)},
	{"an option", GOT(one, V6)},
	{"an option, not IP", GOT(one, ARP)},
	{"two options", GOT(two, V4)},
	{"the longest option", GOT(longest, V4)},
	{"all room for options", GOT(most, V4, .payload = 9)},
	{"all room for options, checksum, over IPv6", GOT(most_six, V4, .kind = KIND_TCP)},
	{"all room for options, an empty ARP", GOT(most, ARP)},
	{"as many options as there can be", GOT(many, V6)},
	{"reserved bits of an option", GOT(option_reserved, V4)},

	{"C, no option", WIRE_IN(critical, V4), MUST_BE_KNOWN},
	{"C and its option", WIRE_IN(critical_option, V4), MUST_BE_KNOWN},
	{"C, all options may be ignored", WIRE_IN(c_alone, V4), MUST_BE_KNOWN},
	{"no C, one must be known", WIRE_IN(c_forgotten, V4), MUST_BE_KNOWN},
	{"the last of the most", WIRE_IN(c_forgotten_last, V4), MUST_BE_KNOWN},
	{"the same over IPv6", WIRE_IN(critical_six, V4), MUST_BE_KNOWN},
	{"one must be known, not IP", WIRE_IN(c_forgotten, ARP), MUST_BE_KNOWN},
	{"in a super-frame", WIRE_IN(c_forgotten, V6, .payload = 900), .gso_size = 500,
	 .gso_segs = 2, .size = {1, 962}, MUST_BE_KNOWN, .setup = device},
	{"options behind what the header says", WIRE_IN(option_overruns, V4), BAD_HEADER},
	{"far behind it", WIRE_IN(option_overruns_far, V4), BAD_HEADER},
	{"options behind the frame", WIRE_IN(overruns, V4), .drop = TSW_DROP_TRUNCATED,
	 .size = {1, 0}},
	{"version 1", WIRE_IN(version_1, V4), BAD_HEADER},
	{"version 1, whose C may be anything", WIRE_IN(version_1_critical, V4), BAD_HEADER},
	{"for the tunnel's end itself", WIRE_IN(control, V4), BAD_HEADER},
	{"no Ethernet inside", WIRE_IN(ip_inside, V4), BAD_HEADER},
	{"checksum wrong", WIRE_IN(wrong_sum, V4), .drop = TSW_DROP_BAD_CHECKSUM},
	{"checksum wrong, an option", WIRE_IN(wrong_sum_options, V4),
	 .drop = TSW_DROP_BAD_CHECKSUM},
	{"options of IP", WIRE_IN(options, V4), .drop = TSW_DROP_OUTER_OPTIONS},
	{"an extension header", WIRE_IN(behind_six, V4), .drop = TSW_DROP_OUTER_OPTIONS},
	{"first fragment", WIRE_IN(fragment, V4), .drop = TSW_DROP_OUTER_FRAGMENT},
	{"from a stranger", WIRE_IN(stranger, V4), UNKNOWN_HOST},
	{"from a stranger, C", WIRE_IN(stranger_critical, V4), UNKNOWN_HOST},
	{"C does not live on host 3", WIRE_IN(violet_host3, V4), WRONG_HOST},
	{"nor on host 4", WIRE_IN(violet_host4, V4), WRONG_HOST},
	{"congestion that cannot be told", WIRE_IN(congested, V4), .drop = TSW_DROP_ECN_INVALID},
	{"congestion that can", WIRE_IN(congested, V4, .tos = 2), .verdict = REDIRECTED,
	 .out = &(const struct spec){V4, .tos = 3}, .to = VIOLET_A, .moves = MOVE(RX),
	 .host = HOST2},

	{"VNI of no tenant", WIRE_IN(nobody, V4), PASSES},
	{"VNI of no tenant, VXLAN's port is ours", WIRE_IN(nobody, V4), PASSES, .setup = slow_path},
	{"VNI of no tenant, Geneve's is", WIRE_IN(nobody, V4), .drop = TSW_DROP_UNKNOWN_TENANT,
	 .tenant = NOBODY, .setup = device},
	{"VNI of no tenant from a stranger, too", WIRE_IN(stranger_nobody, V4),
	 .drop = TSW_DROP_UNKNOWN_TENANT, .tenant = NOBODY, .setup = device},
	{"VXLAN's then passes", WIRE_IN(nobody_vxlan, V4), PASSES, .setup = device},
	{"VNI of a tenant that is gone", WIRE_IN(violet, V4), PASSES, .setup = no_violet},
	{"VNI 0", WIRE_IN(id_0, V4), PASSES},
	{"VNI of no tenant from a stranger", WIRE_IN(stranger_nobody, V4), PASSES},
	{"to another IP", WIRE_IN(other_ip, V4), PASSES},
	{"to another MAC", WIRE_IN(other_mac, V4), PASSES},
	{"to another port", WIRE_IN(other_port, V4), PASSES},
	{"later fragment", WIRE_IN(later, V4), PASSES},

	{"super-frame, no device", WIRE_IN(violet, V6, .payload = 900), SUPER(2),
	 .drop = TSW_DROP_NO_SLOW_PATH, .setup = old_kernel},
	{"super-frame, VXLAN's device stands in", WIRE_IN(reserved, V6, .payload = 900),
	 .gso_size = 500, .gso_segs = 2, PASSES, .priority_out = PASS_UP, .setup = slow_path,
	 .make = as_vxlan},
	{"the same over IPv6", WIRE_IN(violet_six, V4, .payload = 900), .gso_size = 500,
	 .gso_segs = 2, PASSES, .priority_out = PASS_UP, .setup = slow_path, .make = as_vxlan},
	{"not with an option", WIRE_IN(one, V6, .payload = 900), SUPER(2),
	 .drop = TSW_DROP_NO_SLOW_PATH, .setup = slow_path},
	{"nor with a checksum", WIRE_IN(summed, V6, .payload = 900), SUPER(2),
	 .drop = TSW_DROP_NO_SLOW_PATH, .setup = slow_path},
	{"super-frame to the device", WIRE_IN(violet, V6, .payload = 900), .gso_size = 500,
	 .gso_segs = 2, PASSES, .priority_out = PASS_UP, .setup = device},
	{"over IPv6, with an option", WIRE_IN(most_six, V4, .payload = 900), .gso_size = 500,
	 .gso_segs = 2, PASSES, .priority_out = PASS_UP, .setup = device},
	{"VXLAN, the device alone", WIRE_IN(in_vxlan, V6, .payload = 900), SUPER(2),
	 .drop = TSW_DROP_NO_SLOW_PATH, .setup = device},

	{"XDP: from a stranger", TO_XDP(XDP, stranger), UNKNOWN_HOST, .tenant = VIOLET},
	{"XDP: from a stranger, C", TO_XDP(XDP, stranger_critical), UNKNOWN_HOST, .tenant = VIOLET},
	{"XDP: from a host", TO_XDP(XDP, violet), PASSES},
	{"XDP: from a host, C", TO_XDP(XDP, critical), PASSES},
	{"XDP: VNI of no tenant", TO_XDP(XDP, stranger_nobody), PASSES},
	{"XDP: VNI of no tenant, the device's port", TO_XDP(XDP, stranger_nobody),
	 .drop = TSW_DROP_UNKNOWN_TENANT, .tenant = NOBODY, .setup = device},
	{"native: options are left to tc", TO_XDP(XDP_NATIVE, one), PASSES},
	{"native: the most of them", TO_XDP(XDP_NATIVE, most), PASSES},
	{"native: C", TO_XDP(XDP_NATIVE, critical), PASSES},
	{"native: version 1", TO_XDP(XDP_NATIVE, version_1), PASSES},
	{"native: options behind the frame", TO_XDP(XDP_NATIVE, overruns), PASSES},
	{"native: from a stranger", TO_XDP(XDP_NATIVE, stranger), UNKNOWN_HOST, .tenant = VIOLET},
};

/* Out to other hosts. */
static const struct outer to_host2 = {.geneve = true, .vni = VIOLET};
static const struct outer to_host4 = {
	.dst = MAC_HOST4, .to = IP6_HOST4, .geneve = true, .vni = VIOLET};
static const struct outer all_tos = {.geneve = true, .vni = VIOLET, .tos = 0xff};
static const struct outer last_vni = {.geneve = true, .vni = 0xffffff};
static const struct outer with_options = {.geneve = true, .vni = VIOLET, .tlvs = ONE};
static const struct outer to_nobody = {.geneve = true, .vni = VIOLET, .to = "192.0.2.99"};
static const struct outer unknown = {.geneve = true, .vni = 0xabcdef};
static const struct outer unknown_options = {.geneve = true, .vni = 0xabcdef, .tlvs = ONE};

#define SENT(header, ...)                                                                \
	.dev = VIOLET_A, .tenant = VIOLET, .in = {__VA_ARGS__},                          \
	.out = &(const struct spec){__VA_ARGS__, .outer = &(header)}, .moves = MOVE(TX), \
	.host = HOST2, .verdict = REDIRECTED
#define TO_C .dst = MAC_C, .to = IP_C
#define RAW .kind = KIND_RAW, .type = 0x88b5
#define LEAVES(header) .program = TO_WIRE, .tenant = VIOLET, .in = {TO_C, .outer = &(header)}
#define FOREIGN .drop = TSW_DROP_FOREIGN_TUNNEL

static void vni_of_ones(void)
{
	struct tsw_tenant t = {.encap = TSW_ENCAP_GENEVE};
	__u32 tenant = 0xffffff;

	lab_tenant(tenant, 0, 0);
	lab_set(M_TENANTS, &tenant, &t);
	lab_port(VIOLET_A, tenant, MAC_A, 0);
	lab_fdb(tenant, MAC_C, TSW_PLACE_HOST, HOST2);
}

static const struct packet_case out[] = {
	{"out: UDP", SENT(to_host2, TO_C, .payload = 33)},
	{"out: UDP, inner IPv6", SENT(to_host2, .dst = MAC_C, .from = IP6_A, .to = IP6_C)},
	{"out: over IPv6", SENT(to_host4, .dst = MAC_E, .to = IP_E, .payload = 5), .host = HOST4},
	{"out: all bits of TOS", SENT(all_tos, TO_C, .tos = 0xff)},
	{"out: the last VNI", SENT(last_vni, TO_C), .moves = 0, .setup = vni_of_ones},
	{"out: not IP", SENT(to_host2, RAW, .dst = MAC_C, .payload = 61)},
	{"out: not IP, VXLAN's device is not needed", SENT(to_host2, RAW, .dst = MAC_C),
	 .setup = slow_path},
	{"out: not IP, by the kernel's device", .dev = VIOLET_A, .tenant = VIOLET,
	 .in = {RAW, .dst = MAC_C}, .verdict = REDIRECTED, .moves = MOVE(TX) | MOVE(SLOW_TX),
	 .host = HOST2, .setup = device},
	{"out: IP is fast where it is there", SENT(to_host2, TO_C), .setup = device},

	{"leaving: with the pass", LEAVES(to_host2), .priority = PASS_DOWN, PASSES},
	{"leaving: without", LEAVES(to_host2), FOREIGN},
	{"leaving: over IPv6", LEAVES(to_host4), FOREIGN},
	{"leaving: with an option", LEAVES(with_options), FOREIGN},
	{"leaving: to who is no host", LEAVES(to_nobody), PASSES},
	{"leaving: of no tenant here, where others may send", LEAVES(unknown), PASSES},
	{"leaving: where VXLAN's port is the switch's", LEAVES(unknown), PASSES,
	 .setup = slow_path},
	{"leaving: where Geneve's is", LEAVES(unknown), FOREIGN, .tenant = NOBODY, .setup = device},
	{"leaving: the same, with an option", LEAVES(unknown_options), FOREIGN, .tenant = NOBODY,
	 .setup = device},
};

static void sent(void **state)
{
	for (size_t i = 0; i < COUNT(out); i++)
		packet_check(&out[i]);
	(void)state;
}

/* What the bit means, and what the switch makes of it. */
static enum tsw_drop of_bit(int bit)
{
	if (bit >= 16 && bit < 22) /* reserved */
		return TSW_DROP_NONE;
	return bit == 22 ? TSW_DROP_CRITICAL_OPTION : TSW_DROP_BAD_TUNNEL_HEADER;
}

/* Protocol type, reserved, C, O, and the version; the options' length has cases of its own. */
static void every_bit_of_the_header(void **state)
{
	for (int bit = 0; bit < 32; bit++) {
		const struct outer outer = {VIOLET_FROM_HOST2, .flip = 1U << bit};
		struct packet_case c = {"a bit of the Geneve header", GOT(outer, V4)};

		if (bit >= 24 && bit < 30)
			continue;
		c.drop = of_bit(bit);
		if (c.drop) {
			c.verdict = DROPPED;
			c.moves = c.host = c.to = 0;
		}
		packet_check(&c);
	}
	(void)state;
}

/* Each bit of the VNI counts. */
static void every_bit_of_the_vni(void **state)
{
	for (int bit = 0; bit < 24; bit++) {
		const struct outer outer = {GENEVE_FROM_HOST2, .vni = VIOLET ^ 1U << bit};
		const struct packet_case c = {"a bit of the VNI", WIRE_IN(outer, V4), PASSES};

		packet_check(&c);
	}
	(void)state;
}

/* As many words of options as the header can tell; and one fewer than it tells. */
static void every_length_of_options(void **state)
{
	char tlvs[2 * 252 + 1];

	for (unsigned int words = 1; words <= 63; words++) {
		const unsigned int first = words > 32 ? 32 : words, rest = words - first;
		struct outer outer = {VIOLET_FROM_HOST2, .tlvs = tlvs};
		struct packet_case c = {"options", GOT(outer, V4, .payload = 21)};
		int len = snprintf(tlvs, sizeof(tlvs), "010203%02x%0*d", first - 1,
				   (int)(first - 1) * 8, 0);

		if (first == 1) /* "%0*d" has one digit at least */
			len = 8;
		if (rest)
			snprintf(tlvs + len, sizeof(tlvs) - (size_t)len, "040506%02x%0*d", rest - 1,
				 (int)(rest - 1) * 8, 0);
		tlvs[words * 8] = '\0';
		packet_check(&c);
		tlvs[rest ? len + 7 : 7] ^= 1; /* a word more, or fewer: never the right number */
		c.verdict = DROPPED;
		c.moves = c.host = c.to = 0;
		c.drop = TSW_DROP_BAD_TUNNEL_HEADER;
		if (words > 1 && rest != 1)
			continue;
		packet_check(&c);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest more[] = {
		cmocka_unit_test(sent),
		cmocka_unit_test(every_bit_of_the_header),
		cmocka_unit_test(every_bit_of_the_vni),
		cmocka_unit_test(every_length_of_options),
	};
	const struct packet_suite suite = {"geneve", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
