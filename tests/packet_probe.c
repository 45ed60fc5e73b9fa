// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another host asks whether this one is alive: what is answered, by which octets, and what is not.
 * Each question is made from a frame of the right length, into which BFD's own octets are put here.
 */
#include <arpa/inet.h>
#include <string.h>

#include "packet.h"

#define MAC_BFD "00:00:5e:00:52:02"
#define LOOP4 "127.0.0.1"
#define LOOP6 "::ffff:127.0.0.1"
#define BFD_LEN 24
#define UDP_LEN 8
#define BAD .drop = TSW_DROP_BAD_PROBE, .tenant = NOBODY

static const struct outer vxlan4 = {FROM_HOST2, .ttl = 9}, gre4 = {FROM_HOST2, .gre = true};
static const struct outer vxlan6 = {FROM6_HOST2, .ttl = 9}, gre6 = {FROM6_HOST2, .gre = true};
static const struct outer stranger = {TO_US, .from = IP_STRANGER};
static const struct outer gre_stranger = {TO_US, .from = IP_STRANGER, .gre = true};
static const struct outer host3 = {FROM_HOST3};
static const struct outer with_csum = {FROM_HOST2, .csum = CSUM_DONE};
static const struct outer options = {FROM_HOST2, .options = "94040000"};
static const struct outer fragment = {FROM_HOST2, .frag = 0x6000};
static const struct outer reserved = {FROM_HOST2, .flip = 1};
static const struct outer padded = {FROM_HOST2, .padding = 2};
static const struct outer long_udp = {FROM_HOST2, .udp_lie = 1};
static const struct outer to_host2 = {}, to_host2_gre = {.gre = true};
static const struct outer to_host4 = {.dst = MAC_HOST4, .to = IP6_HOST4};
static const struct outer to_host4_gre = {.dst = MAC_HOST4, .to = IP6_HOST4, .gre = true};
static const struct outer to_stranger = {.to = IP_STRANGER};

#define Q4(...)                                                                      \
	.dst = MAC_BFD, .src = MAC_HOST2, .from = IP_HOST2, .to = LOOP4, .ttl = 255, \
	.sport = 49200, .dport = 7784, .payload = BFD_LEN, __VA_ARGS__
#define Q6(...) Q4(.from = IP6_HOST2, .to = LOOP6, __VA_ARGS__)
#define ASK(header, ...) .program = FROM_WIRE, .in = {Q4(.outer = &(header), ##__VA_ARGS__)}
#define ASK6(header, ...) .program = FROM_WIRE, .in = {Q6(.outer = &(header), ##__VA_ARGS__)}
#define ANSWERED .verdict = REDIRECTED, .make = answer, .priority_out = PASS_DOWN

/* Of an IP header without options, outer or inner. */
static size_t ip_len(const struct frame *f)
{
	return f->b[12] == 0x86 ? 40 : 20;
}

static size_t outer_len(const struct frame *f)
{
	return ip_len(f) == 40 ? 40 : (f->b[14] & 0x0f) * 4;
}

static bool is_gre(const struct frame *f)
{
	return f->b[14 + (ip_len(f) == 40 ? 6 : 9)] == 47;
}

static size_t id_at(const struct frame *f)
{
	return 14 + outer_len(f) + (is_gre(f) ? 4 : UDP_LEN + 4);
}

static size_t inner_ip_at(const struct frame *f)
{
	return id_at(f) + 4 + 14;
}

static size_t udp_at(const struct frame *f)
{
	return inner_ip_at(f) + ip_len(f);
}

static __u8 *bfd(struct frame *f)
{
	return f->b + udp_at(f) + UDP_LEN;
}

static void put32(__u8 *at, __u32 v)
{
	v = htonl(v);
	memcpy(at, &v, sizeof(v));
}

/* Of an IPv4 header that was changed. */
static void sum_ip(struct frame *f, size_t at)
{
	__u16 sum;

	f->b[at + 10] = f->b[at + 11] = 0;
	sum = htons(frame_checksum(f->b + at, 20, 0));
	memcpy(f->b + at + 10, &sum, sizeof(sum));
}

/* Of UDP and BFD, with the addresses that are there. */
static void sum_udp(struct frame *f)
{
	const size_t udp = udp_at(f), addrs = ip_len(f) == 40 ? 32 : 8;
	__u32 sum = frame_sum(f->b + udp - addrs, addrs, 17 + UDP_LEN + BFD_LEN);
	__u16 check;

	f->b[udp + 6] = f->b[udp + 7] = 0;
	check = htons(frame_checksum(f->b + udp, UDP_LEN + BFD_LEN, sum));
	memcpy(f->b + udp + 6, &check, sizeof(check));
}

/* 192.0.2.1, or the words of 2001:db8::1 in one. */
static __u32 discriminator(const struct frame *f)
{
	return ip_len(f) == 40 ? 0x20010db8 ^ 1 : 0xc0000201;
}

static void put_bfd(struct frame *f)
{
	__u8 *b = bfd(f);

	b[0] = 0x20; /* version 1, no diagnostic */
	b[1] = 0x42; /* down, demand */
	b[2] = 3;
	b[3] = BFD_LEN;
	put32(b + 4, 0x01020304);
	put32(b + 8, discriminator(f));
	put32(b + 12, 200000);
	put32(b + 16, 0);
	put32(b + 20, 7);
}

static void id_0(struct frame *f)
{
	put32(f->b + id_at(f), 0);
}

static void ask(struct frame *f)
{
	id_0(f);
	put_bfd(f);
	sum_udp(f);
}

/* One octet of BFD is another. */
static void ask_but(struct frame *f, int octet, __u8 value)
{
	ask(f);
	bfd(f)[octet] = value;
	sum_udp(f);
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
	ask(f);
	put32(bfd(f) + 4, 0);
	sum_udp(f);
}

static void to_discriminator_0(struct frame *f)
{
	ask(f);
	put32(bfd(f) + 8, 0);
	sum_udp(f);
}

static void no_csum(struct frame *f)
{
	ask(f);
	f->b[udp_at(f) + 6] = f->b[udp_at(f) + 7] = 0;
}

static void bad_csum(struct frame *f)
{
	ask(f);
	f->b[udp_at(f) + 7] ^= 1;
}

static void bad_ip_csum(struct frame *f)
{
	ask(f);
	f->b[inner_ip_at(f) + 11] ^= 1;
}

static void long_udp_inside(struct frame *f)
{
	ask(f);
	f->b[udp_at(f) + 5]++;
	sum_udp(f);
}

/* The tunnel's other ids: what is no tenant's and not 0. */
static void id_1(struct frame *f)
{
	ask(f);
	put32(f->b + id_at(f), is_gre(f) ? 1 : 1 << 8);
}

/* An IP header from this host to who asked. */
static void turn_ip(struct frame *f, size_t at, __u8 ttl)
{
	const size_t len = ip_len(f) == 40 ? 16 : 4, addrs = at + (len == 16 ? 8 : 12);
	__u8 from[16];

	memcpy(from, f->b + addrs, len);
	memcpy(f->b + addrs, f->b + 14 + (len == 16 ? 24 : 16), len); /* where it was sent to */
	memcpy(f->b + addrs + len, from, len);
	f->b[at + (len == 16 ? 7 : 8)] = ttl;
	if (len == 4)
		sum_ip(f, at);
}

static void answer(const struct frame *in, struct frame *out)
{
	const size_t udp = udp_at(in);
	__u8 *b;

	*out = *in;
	turn_ip(out, inner_ip_at(in), 255);
	turn_ip(out, 14, 64);
	memcpy(out->b + udp, in->b + udp + 2, 2);
	memcpy(out->b + udp + 2, in->b + udp, 2);
	b = bfd(out);
	b[0] = 0x20;
	b[1] = 0xc8 | (b[1] & 0x20 ? 0x10 : 0); /* up, of the program; final, if polled */
	memcpy(b + 8, b + 4, 4);
	put32(b + 4, discriminator(in));
	put32(b + 16, 10000);
	put32(b + 20, 0);
	sum_udp(out);
}

/* What host 2 answers to a question of this host: for no question of it. */
static void an_answer(struct frame *f)
{
	ask_but(f, 1, 0xc8);
}

static const __u32 host2 = HOST2;

static void asked(void)
{
	const struct tsw_probe probe = {.mine = htonl(0x05060708)};

	lab_set(M_PROBES, &host2, &probe);
}

/* By who sends it: 192.0.2.2, or the words of 2001:db8::2 in one. */
static void answered(struct frame *f)
{
	__u8 *b;

	id_0(f);
	b = bfd(f);
	memset(b, 0, BFD_LEN);
	b[0] = 0x20;
	b[1] = 0xc8;
	b[2] = 3;
	b[3] = BFD_LEN;
	put32(b + 4, ip_len(f) == 40 ? 0x20010db8 ^ 2 : 0xc0000202);
	put32(b + 8, 0x05060708);
	put32(b + 16, 10000);
	sum_udp(f);
}

#define ANSWERED_BUT(name, octet, value)  \
	static void name(struct frame *f) \
	{                                 \
		answered(f);              \
		bfd(f)[octet] = value;    \
		sum_udp(f);               \
	}

ANSWERED_BUT(answered_with_diagnostic, 0, 0x27)
ANSWERED_BUT(answered_by_version_0, 0, 0x07)
ANSWERED_BUT(answered_down, 1, 0x48)
ANSWERED_BUT(answered_with_demand, 1, 0xca)
ANSWERED_BUT(answered_short, 3, 23)
ANSWERED_BUT(answered_by_another, 7, 0x03)
ANSWERED_BUT(answered_to_another, 11, 0x09)

static void answered_badly(struct frame *f)
{
	answered(f);
	f->b[udp_at(f) + 7] ^= 1;
}

static void answered_without_csum(struct frame *f)
{
	answered(f);
	f->b[udp_at(f) + 6] = f->b[udp_at(f) + 7] = 0;
}

static void nobody_asks(void)
{
	const __u32 host3 = HOST3;
	const struct tsw_probe probe = {.mine = htonl(0x05060708)};

	lab_set(M_PROBES, &host3, &probe);
}

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
}

static void no_host2(void)
{
	lab_vtep_unset(IP_HOST2);
}

static const struct packet_case cases[] = {
	{"VXLAN", ASK(vxlan4), .change = ask, ANSWERED},
	{"GRE", ASK(gre4), .change = ask, ANSWERED},
	{"VXLAN over IPv6", ASK6(vxlan6), .change = ask, ANSWERED},
	{"GRE over IPv6", ASK6(gre6), .change = ask, ANSWERED},
	{"where the port is the switch's", ASK(vxlan4), .change = ask, ANSWERED,
	 .setup = slow_path},
	{"a mark is not the answer's", ASK(vxlan4), .change = ask, ANSWERED, .mark = 5},
	{"polled", ASK(vxlan4), .change = polls, ANSWERED},
	{"who asks is up", ASK(vxlan4), .change = is_up, ANSWERED},
	{"who asks tells why it was down", ASK(vxlan4), .change = with_diagnostic, ANSWERED},
	{"no checksum over IPv4", ASK(vxlan4), .change = no_csum, ANSWERED},
	{"another address of its own", ASK(vxlan4, .to = "127.9.9.9"), .change = ask, ANSWERED},

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
	{"an answer to the port of questions", ASK(vxlan4, .sport = 7784), .change = ask, BAD},
	{"another port", ASK(vxlan4, .dport = 3784), .change = ask, BAD},
	{"hop limit 254", ASK(vxlan4, .ttl = 254), .change = ask, BAD},
	{"hop limit 254 over IPv6", ASK6(vxlan6, .ttl = 254), .change = ask, BAD},
	{"to an address that is routed", ASK(vxlan4, .to = IP_WIRE), .change = ask, BAD},
	{"the same over IPv6", ASK6(vxlan6, .to = IP6_WIRE), .change = ask, BAD},
	{"from another than the tunnel's sender", ASK(vxlan4, .from = IP_HOST3), .change = ask,
	 BAD},
	{"the same over IPv6", ASK6(vxlan6, .from = IP6_HOST4), .change = ask, BAD},
	{"from another host than it says", ASK(host3), .change = ask, BAD},
	{"not UDP", ASK(vxlan4, .proto = 6), .change = ask, BAD},
	{"a first fragment inside", ASK(vxlan4, .frag = 0x2000), .change = ask, BAD},
	{"the other family inside", ASK6(vxlan4), .change = id_0, BAD},
	{"a UDP header that tells more", ASK(vxlan4), .change = long_udp_inside, BAD},
	{"an octet less", ASK(vxlan4, .cut = 1), .change = ask, BAD},
	{"an octet more", ASK(vxlan4, .payload = BFD_LEN + 1), .change = ask, BAD},
	{"much more: nothing is amplified", ASK(vxlan4, .payload = 1000), .change = ask, BAD},
	{"with an outer checksum", ASK(with_csum), .change = ask, BAD},
	{"with a reserved bit", ASK(reserved), .change = ask, BAD},
	{"outer options", ASK(options), .change = ask, BAD},
	{"outer fragment", ASK(fragment), .change = ask, BAD},
	{"padded", ASK(padded), .change = ask, BAD},
	{"outer UDP that tells more", ASK(long_udp), .change = ask, BAD},
	{"a super-frame", ASK(vxlan4), .change = ask, .gso_size = 20, .gso_segs = 3, BAD},

	{"from who is no host", ASK(stranger), .change = ask, .verdict = PASSED},
	{"the same by GRE", ASK(gre_stranger), .change = ask, .verdict = PASSED},
	{"the same, the port is the switch's", ASK(stranger), .change = ask, .setup = slow_path,
	 .drop = TSW_DROP_UNKNOWN_TENANT, .tenant = NOBODY},
	{"from who was a host", ASK(vxlan4), .change = ask, .verdict = PASSED, .setup = no_host2},
	{"to another MAC", ASK(vxlan4, .dst = MAC_A), .change = ask, .verdict = PASSED},
	{"another id", ASK(vxlan4), .change = id_1, .verdict = PASSED},
	{"another key", ASK(gre4), .change = id_1, .verdict = PASSED},
	{"in a tenant's id it is a tenant's frame", ASK(vxlan4), .drop = TSW_DROP_WRONG_HOST},

	{"XDP leaves it to tc", ASK(vxlan4), .program = XDP, .change = ask, .verdict = PASSED,
	 .setup = slow_path},
	{"so does XDP in the driver", ASK(vxlan4), .program = XDP_NATIVE, .change = ask,
	 .verdict = PASSED, .setup = slow_path},
	{"XDP knows who is no host", ASK(stranger), .program = XDP, .change = ask,
	 .setup = slow_path, .drop = TSW_DROP_UNKNOWN_TENANT, .tenant = NOBODY},
	{"an endpoint's is a frame to a MAC of nobody", .program = FROM_PORT,
	 .in = {.dst = MAC_BFD, .to = LOOP4, .ttl = 255, .dport = 7784, .payload = BFD_LEN},
	 .drop = TSW_DROP_UNKNOWN_DESTINATION},
};

#define TELL .sport = 7784, .dport = 49200
#define TOLD(header, ...)                                                                         \
	.program = FROM_WIRE, .in = {Q4(.to = IP_WIRE, TELL, .outer = &(header), ##__VA_ARGS__)}, \
	.setup = asked
#define TOLD6(header, ...)                                                                      \
	.program = FROM_WIRE,                                                                   \
	.in = {Q4(.from = IP6_HOST2, .to = IP6_WIRE, TELL, .outer = &(header), ##__VA_ARGS__)}, \
	.setup = asked

/* What ends here without a drop is noted. */
static const struct packet_case heard[] = {
	{"an answer by VXLAN", TOLD(vxlan4), .change = answered},
	{"by GRE", TOLD(gre4), .change = answered},
	{"by VXLAN over IPv6", TOLD6(vxlan6), .change = answered},
	{"by GRE over IPv6", TOLD6(gre6), .change = answered},
	{"with a diagnostic", TOLD(vxlan4), .change = answered_with_diagnostic},
	{"without a checksum", TOLD(vxlan4), .change = answered_without_csum},
	{"without a checksum over IPv6", TOLD6(vxlan6), .change = answered_without_csum, BAD},
	{"with a wrong one", TOLD(vxlan4), .change = answered_badly, BAD},
	{"by version 0", TOLD(vxlan4), .change = answered_by_version_0, BAD},
	{"of who is down", TOLD(vxlan4), .change = answered_down, BAD},
	{"of who demands", TOLD(vxlan4), .change = answered_with_demand, BAD},
	{"of another length", TOLD(vxlan4), .change = answered_short, BAD},
	{"by another discriminator", TOLD(vxlan4), .change = answered_by_another, BAD},
	{"to another's question", TOLD(vxlan4), .change = answered_to_another, BAD},
	{"by a host that was not asked", .program = FROM_WIRE,
	 .in = {Q4(.to = IP_WIRE, TELL, .outer = &vxlan4)}, .change = answered,
	 .setup = nobody_asks, BAD},
	{"to another address", TOLD(vxlan4, .to = IP_HOST3), .change = answered, BAD},
	{"to a loopback address", TOLD(vxlan4, .to = LOOP4), .change = answered, BAD},
	{"with hop limit 254", TOLD(vxlan4, .ttl = 254), .change = answered, BAD},
	{"from another port", TOLD(vxlan4, .sport = 7785), .change = answered, BAD},
	{"to the port of questions", TOLD(vxlan4, .dport = 7784), .change = answered, BAD},
};

static void answers_are_noted(void **state)
{
	for (size_t i = 0; i < COUNT(heard); i++)
		packet_check(&heard[i]);
	(void)state;
}

#define LEAVES(header, ...) \
	.program = TO_WIRE, .in = {Q4(.outer = &(header), ##__VA_ARGS__)}, .change = ask
#define FORGED .drop = TSW_DROP_FOREIGN_TUNNEL, .tenant = NOBODY

/* Whoever of this host, or of a container behind its masquerade, asks or answers in its name. */
static const struct packet_case leaving[] = {
	{"the switch's own", LEAVES(to_host2), .priority = PASS_DOWN, .verdict = PASSED},
	{"forged", LEAVES(to_host2), FORGED},
	{"the agent's", LEAVES(to_host2), .priority = PASS_ASK, .verdict = PASSED},
	{"the agent's, by GRE", LEAVES(to_host2_gre), .priority = PASS_ASK, .verdict = PASSED},
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
		struct packet_case c = {"cut", ASK(vxlan4, .cut = cut), .change = ask, BAD};

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
	cmocka_unit_test(answers_are_noted),
};

int main(void)
{
	const struct packet_suite suite = {"probe", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
