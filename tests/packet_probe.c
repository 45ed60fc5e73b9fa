// SPDX-License-Identifier: GPL-2.0-only
/* Another host asks whether this one is alive: what is answered, by which octets, what is not. */
#include <string.h>

#include "probes.h"

static const struct outer vxlan4 = {FROM_HOST2, .ttl = 9}, gre4 = {FROM_HOST2, .gre = true};
static const struct outer vxlan6 = {FROM6_HOST2, .ttl = 9}, gre6 = {FROM6_HOST2, .gre = true};
static const struct outer stranger = {TO_US, .from = IP_STRANGER};
static const struct outer geneve4 = {FROM_HOST2, GENEVE_PROBE, .ttl = 9};
static const struct outer geneve6 = {FROM6_HOST2, GENEVE_PROBE, .ttl = 9};
static const struct outer geneve_data = {FROM_HOST2, .geneve = true};
static const struct outer geneve_critical = {FROM_HOST2, .geneve = true, .flip = 0x00c00000};
static const struct outer geneve_version = {FROM_HOST2, .geneve = true, .flip = 0x40800000};
static const struct outer geneve_ip = {FROM_HOST2, .geneve = true, .flip = 0x00806d58};
static const struct outer geneve_option = {FROM_HOST2, GENEVE_PROBE, .tlvs = "01010000"};
static const struct outer geneve_csum = {FROM_HOST2, GENEVE_PROBE, .csum = CSUM_DONE};
static const struct outer geneve_stranger = {TO_US, .from = IP_STRANGER, GENEVE_PROBE};
static const struct outer gre_stranger = {TO_US, .from = IP_STRANGER, .gre = true};
static const struct outer host3 = {FROM_HOST3};
static const struct outer with_csum = {FROM_HOST2, .csum = CSUM_DONE};
static const struct outer options = {FROM_HOST2, .options = "94040000"};
static const struct outer fragment = {FROM_HOST2, .frag = 0x6000};
static const struct outer reserved = {FROM_HOST2, .flip = 1};
static const struct outer padded = {FROM_HOST2, .padding = 2};
static const struct outer long_udp = {FROM_HOST2, .udp_lie = 1};
static const struct outer to_host2 = {}, to_host2_gre = {.gre = true};
static const struct outer to_host2_geneve = {GENEVE_PROBE}, to_host2_data = {.geneve = true};
static const struct outer to_host4 = {.dst = MAC_HOST4, .to = IP6_HOST4};
static const struct outer to_host4_gre = {.dst = MAC_HOST4, .to = IP6_HOST4, .gre = true};
static const struct outer to_stranger = {.to = IP_STRANGER};

/* One octet of BFD is another. */
static void ask_but(struct frame *f, int octet, __u8 value)
{
	probe_ask(f);
	probe_bfd(f)[octet] = value;
	probe_sum_udp(f);
}

#define BUT(name, octet, value)           \
	static void name(struct frame *f) \
	{                                 \
		ask_but(f, octet, value); \
	}

BUT(version_0, 0, 0x00)
BUT(version_2, 0, 0x40)
BUT(with_diagnostic, 0, 0x21)
BUT(polls, 1, 0x62)
BUT(is_up, 1, 0xc2)
BUT(final, 1, 0x52)
BUT(authenticated, 1, 0x46)
BUT(multipoint, 1, 0x43)
BUT(no_demand, 1, 0x40)
BUT(no_multiplier, 2, 0)
BUT(short_length, 3, 23)
BUT(long_length, 3, 25)
BUT(other_discriminator, 11, 2)

static void no_discriminator(struct frame *f)
{
	probe_ask(f);
	probe_put32(probe_bfd(f) + 4, 0);
	probe_sum_udp(f);
}

static void to_discriminator_0(struct frame *f)
{
	probe_ask(f);
	probe_put32(probe_bfd(f) + 8, 0);
	probe_sum_udp(f);
}

static void no_csum(struct frame *f)
{
	probe_ask(f);
	f->b[probe_udp_at(f) + 6] = f->b[probe_udp_at(f) + 7] = 0;
}

static void bad_csum(struct frame *f)
{
	probe_ask(f);
	f->b[probe_udp_at(f) + 7] ^= 1;
}

static void bad_ip_csum(struct frame *f)
{
	probe_ask(f);
	f->b[probe_ip_at(f) + 11] ^= 1;
}

static void long_udp_inside(struct frame *f)
{
	probe_ask(f);
	f->b[probe_udp_at(f) + 5]++;
	probe_sum_udp(f);
}

/* The tunnel's other ids: what is no tenant's and not 0. */
static void id_1(struct frame *f)
{
	probe_ask(f);
	probe_put32(f->b + probe_id_at(f), probe_is_gre(f) ? 1 : 1 << 8);
}

/* A whole question, behind an option of 4 octets: only that is wrong. */
static void ask_behind_option(struct frame *f)
{
	struct frame plain;
	const struct spec s = {Q4(.outer = &geneve4)};
	const size_t outer = 14 + 20 + UDP_LEN + 8;

	frame_build(&s, &plain);
	probe_ask(&plain);
	probe_id_0(f);
	memcpy(f->b + outer + 4, plain.b + outer, plain.len - outer);
}

/* What host 2 answers to a question of this host: for no question of it. */
static void an_answer(struct frame *f)
{
	ask_but(f, 1, 0xc8);
}

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
}

static void geneve_device(void)
{
	lab_config_geneve(77);
}

static void no_host2(void)
{
	lab_vtep_unset(IP_HOST2);
}

static const struct packet_case cases[] = {
	{"VXLAN", ASK(vxlan4), .change = probe_ask, ANSWERED},
	{"GRE", ASK(gre4), .change = probe_ask, ANSWERED},
	{"VXLAN over IPv6", ASK6(vxlan6), .change = probe_ask, ANSWERED},
	{"GRE over IPv6", ASK6(gre6), .change = probe_ask, ANSWERED},
	{"Geneve", ASK(geneve4), .change = probe_ask, ANSWERED},
	{"Geneve over IPv6", ASK6(geneve6), .change = probe_ask, ANSWERED},
	{"Geneve where its port is the switch's", ASK(geneve4), .change = probe_ask, ANSWERED,
	 .setup = geneve_device},
	{"where the port is the switch's", ASK(vxlan4), .change = probe_ask, ANSWERED,
	 .setup = slow_path},
	{"a mark is not the answer's", ASK(vxlan4), .change = probe_ask, ANSWERED, .mark = 5},
	{"polled", ASK(vxlan4), .change = polls, ANSWERED},
	{"who asks is up", ASK(vxlan4), .change = is_up, ANSWERED},
	{"who asks tells why it was down", ASK(vxlan4), .change = with_diagnostic, ANSWERED},
	{"no checksum over IPv4", ASK(vxlan4), .change = no_csum, ANSWERED},
	{"another address of its own", ASK(vxlan4, .to = "127.9.9.9"), .change = probe_ask,
	 ANSWERED},

	{"no checksum over IPv6", ASK6(vxlan6), .change = no_csum, BAD},
	{"wrong checksum", ASK(vxlan4), .change = bad_csum, BAD},
	{"wrong checksum over IPv6", ASK6(vxlan6), .change = bad_csum, BAD},
	{"wrong checksum of the inner header", ASK(vxlan4), .change = bad_ip_csum, BAD},
	{"another discriminator", ASK(vxlan4), .change = other_discriminator, BAD},
	{"another discriminator over IPv6", ASK6(vxlan6), .change = other_discriminator, BAD},
	{"discriminator 0", ASK(vxlan4), .change = to_discriminator_0, BAD},
	{"from discriminator 0", ASK(vxlan4), .change = no_discriminator, BAD},
	{"BFD of version 0", ASK(vxlan4), .change = version_0, BAD},
	{"BFD of version 2", ASK(vxlan4), .change = version_2, BAD},
	{"final", ASK(vxlan4), .change = final, BAD},
	{"authenticated", ASK(vxlan4), .change = authenticated, BAD},
	{"multipoint", ASK(vxlan4), .change = multipoint, BAD},
	{"without demand", ASK(vxlan4), .change = no_demand, BAD},
	{"multiplier 0", ASK(vxlan4), .change = no_multiplier, BAD},
	{"BFD of 23 octets", ASK(vxlan4), .change = short_length, BAD},
	{"BFD of 25 octets", ASK(vxlan4), .change = long_length, BAD},
	{"an answer", ASK(vxlan4, .sport = 7784, .dport = 49200), .change = an_answer, BAD},
	{"an answer to the port of questions", ASK(vxlan4, .sport = 7784), .change = probe_ask,
	 BAD},
	{"another port", ASK(vxlan4, .dport = 3784), .change = probe_ask, BAD},
	{"hop limit 254", ASK(vxlan4, .ttl = 254), .change = probe_ask, BAD},
	{"hop limit 254 over IPv6", ASK6(vxlan6, .ttl = 254), .change = probe_ask, BAD},
	{"to an address that is routed", ASK(vxlan4, .to = IP_WIRE), .change = probe_ask, BAD},
	{"the same over IPv6", ASK6(vxlan6, .to = IP6_WIRE), .change = probe_ask, BAD},
	{"from another than the tunnel's sender", ASK(vxlan4, .from = IP_HOST3),
	 .change = probe_ask, BAD},
	{"the same over IPv6", ASK6(vxlan6, .from = IP6_HOST4), .change = probe_ask, BAD},
	{"from another host than it says", ASK(host3), .change = probe_ask, BAD},
	{"not UDP", ASK(vxlan4, .proto = 6), .change = probe_ask, BAD},
	{"a first fragment inside", ASK(vxlan4, .frag = 0x2000), .change = probe_ask, BAD},
	{"the other family inside", ASK6(vxlan4), .change = probe_id_0, BAD},
	{"a UDP header that tells more", ASK(vxlan4), .change = long_udp_inside, BAD},
	{"an octet less", ASK(vxlan4, .cut = 1), .change = probe_ask, BAD},
	{"an octet more", ASK(vxlan4, .payload = BFD_LEN + 1), .change = probe_ask, BAD},
	{"much more: nothing is amplified", ASK(vxlan4, .payload = 1000), .change = probe_ask, BAD},
	{"with an outer checksum", ASK(with_csum), .change = probe_ask, BAD},
	{"with a reserved bit", ASK(reserved), .change = probe_ask, BAD},
	{"Geneve for no tunnel's end", ASK(geneve_data), .change = probe_ask, BAD},
	{"Geneve, critical", ASK(geneve_critical), .change = probe_ask, BAD},
	{"Geneve of version 1", ASK(geneve_version), .change = probe_ask, BAD},
	{"Geneve with IPv4 in it", ASK(geneve_ip), .change = probe_ask, BAD},
	{"Geneve with an option", ASK(geneve_option), .change = ask_behind_option, BAD},
	{"Geneve with an outer checksum", ASK(geneve_csum), .change = probe_ask, BAD},
	{"outer options", ASK(options), .change = probe_ask, BAD},
	{"outer fragment", ASK(fragment), .change = probe_ask, BAD},
	{"padded", ASK(padded), .change = probe_ask, BAD},
	{"outer UDP that tells more", ASK(long_udp), .change = probe_ask, BAD},
	{"a super-frame", ASK(vxlan4), .change = probe_ask, .gso_size = 20, .gso_segs = 3, BAD},

	{"from who is no host", ASK(stranger), .change = probe_ask, .verdict = PASSED},
	{"the same by GRE", ASK(gre_stranger), .change = probe_ask, .verdict = PASSED},
	{"the same, the port is the switch's", ASK(stranger), .change = probe_ask,
	 .setup = slow_path, .drop = TSW_DROP_UNKNOWN_TENANT, .tenant = NOBODY},
	{"from who was a host", ASK(vxlan4), .change = probe_ask, .verdict = PASSED,
	 .setup = no_host2},
	{"to another MAC", ASK(vxlan4, .dst = MAC_A), .change = probe_ask, .verdict = PASSED},
	{"another id", ASK(vxlan4), .change = id_1, .verdict = PASSED},
	{"by Geneve", ASK(geneve_stranger), .change = probe_ask, .verdict = PASSED},
	{"by Geneve, the port is the switch's", ASK(geneve_stranger), .change = probe_ask,
	 .setup = geneve_device, .drop = TSW_DROP_UNKNOWN_TENANT, .tenant = NOBODY},
	{"to another MAC by Geneve", ASK(geneve4, .dst = MAC_A), .change = probe_ask,
	 .verdict = PASSED},
	{"another key", ASK(gre4), .change = id_1, .verdict = PASSED},
	{"in a tenant's id it is a tenant's frame", ASK(vxlan4), .drop = TSW_DROP_WRONG_HOST},

	{"XDP leaves it to tc", ASK(vxlan4), .program = XDP, .change = probe_ask, .verdict = PASSED,
	 .setup = slow_path},
	{"a question by Geneve, too", ASK(geneve4), .program = XDP_NATIVE, .change = probe_ask,
	 .verdict = PASSED, .setup = geneve_device},
	{"so does XDP in the driver", ASK(vxlan4), .program = XDP_NATIVE, .change = probe_ask,
	 .verdict = PASSED, .setup = slow_path},
	{"XDP knows who is no host", ASK(stranger), .program = XDP, .change = probe_ask,
	 .setup = slow_path, .drop = TSW_DROP_UNKNOWN_TENANT, .tenant = NOBODY},
	{"an endpoint's is a frame to a MAC of nobody", .program = FROM_PORT,
	 .in = {.dst = MAC_BFD, .to = LOOP4, .ttl = 255, .dport = 7784, .payload = BFD_LEN},
	 .drop = TSW_DROP_UNKNOWN_DESTINATION},
};

/* The underlay is a VLAN device on another one. */
static void above(void)
{
	struct tsw_config cfg;

	lab_config_flag(TSW_CFG_TAGGED, 0);
	lab_config(&cfg);
	cfg.underlay[0].flags = TSW_UNDERLAY_ABOVE;
	lab_config_set(&cfg);
}

#define LEAVES(header, ...) \
	.program = TO_WIRE, .in = {Q4(.outer = &(header), ##__VA_ARGS__)}, .change = probe_ask
#define FORGED .drop = TSW_DROP_FOREIGN_TUNNEL, .tenant = NOBODY

/* Whoever of this host, or of a container behind its masquerade, asks or answers in its name. */
static const struct packet_case leaving[] = {
	{"the switch's own", LEAVES(to_host2), .priority = PASS_DOWN, .verdict = PASSED},
	{"forged", LEAVES(to_host2), FORGED},
	{"the agent's", LEAVES(to_host2), .priority = PASS_ASK, .verdict = PASSED},
	{"the agent's, by GRE", LEAVES(to_host2_gre), .priority = PASS_ASK, .verdict = PASSED},
	{"the agent's, by Geneve", LEAVES(to_host2_geneve), .priority = PASS_ASK,
	 .verdict = PASSED},
	{"forged, by Geneve", LEAVES(to_host2_geneve), FORGED},
	{"forged, as a tenant's", LEAVES(to_host2_data), FORGED},
	{"the agent's, by a VLAN device: the one below wants to see it", LEAVES(to_host2),
	 .priority = PASS_ASK, .verdict = PASSED, .priority_out = PASS_ASK, .setup = above},
	{"which takes it", LEAVES(to_host2), .dev = WIRE2, .priority = PASS_ASK, .verdict = PASSED,
	 .setup = above},
	{"a bit of its proof is wrong", LEAVES(to_host2), .priority = PASS_ASK ^ 1 << 18, FORGED},
	{"the highest alone", LEAVES(to_host2), .priority = 1U << 31, FORGED},
	{"its proof opens nothing else", .program = TO_WIRE,
	 .in = {Q4(.dst = MAC_A, .outer = &to_host2)}, .priority = PASS_ASK,
	 .drop = TSW_DROP_FOREIGN_TUNNEL, .tenant = 0},
	{"forged, by GRE", LEAVES(to_host2_gre), FORGED},
	{"forged, over IPv6", LEAVES(to_host4, .from = IP6_HOST2, .to = LOOP6), FORGED},
	{"forged, by GRE over IPv6", LEAVES(to_host4_gre, .from = IP6_HOST2, .to = LOOP6), FORGED},
	{"to who is no host", LEAVES(to_stranger), .verdict = PASSED},
	{"id 0 to another MAC is somebody else's", LEAVES(to_host2, .dst = MAC_A),
	 .verdict = PASSED},
	{"key 0, too", LEAVES(to_host2_gre, .dst = MAC_A), .verdict = PASSED},
};

static void none_leaves_forged(void **state)
{
	for (size_t i = 0; i < COUNT(leaving); i++)
		packet_check(&leaving[i]);
	(void)state;
}

/* Each cut of a question: never answered, never let on to an endpoint. */
static void every_length(void **state)
{
	for (__u16 cut = 1; cut <= UDP_LEN + BFD_LEN + 20 + 14; cut++) {
		struct packet_case c = {"cut", ASK(vxlan4, .cut = cut), .change = probe_ask, BAD};

		if (cut > UDP_LEN + BFD_LEN + 20) { /* its MAC cannot be told any more */
			c.verdict = PASSED;
			c.drop = TSW_DROP_NONE;
		}
		packet_check(&c);
	}
	(void)state;
}

static const struct CMUnitTest more[] = {
	cmocka_unit_test(none_leaves_forged),
	cmocka_unit_test(every_length),
};

int main(void)
{
	const struct packet_suite suite = {"probe", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
