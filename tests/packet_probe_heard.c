// SPDX-License-Identifier: GPL-2.0-only
/* What this host hears of the hosts that it has asked, and what it tells those who ask. */
#include <arpa/inet.h>
#include <string.h>
#include <time.h>

#include "probes.h"

static const struct outer vxlan4 = {FROM_HOST2, .ttl = 9}, gre4 = {FROM_HOST2, .gre = true};
static const struct outer vxlan6 = {FROM6_HOST2, .ttl = 9}, gre6 = {FROM6_HOST2, .gre = true};
static const struct outer geneve4 = {FROM_HOST2, GENEVE_PROBE};
static const struct outer geneve6 = {FROM6_HOST2, GENEVE_PROBE};
static const struct outer geneve_data = {FROM_HOST2, .geneve = true};

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

	probe_id_0(f);
	b = probe_bfd(f);
	memset(b, 0, BFD_LEN);
	b[0] = 0x20;
	b[1] = 0xc8;
	b[2] = 3;
	b[3] = BFD_LEN;
	probe_put32(b + 4, probe_ip_len(f) == 40 ? 0x20010db8 ^ 2 : 0xc0000202);
	probe_put32(b + 8, 0x05060708);
	probe_put32(b + 16, 10000);
	probe_sum_udp(f);
}

#define ANSWERED_BUT(name, octet, value)     \
	static void name(struct frame *f)    \
	{                                    \
		answered(f);                 \
		probe_bfd(f)[octet] = value; \
		probe_sum_udp(f);            \
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
	f->b[probe_udp_at(f) + 7] ^= 1;
}

static void answered_without_csum(struct frame *f)
{
	answered(f);
	f->b[probe_udp_at(f) + 6] = f->b[probe_udp_at(f) + 7] = 0;
}

static void nobody_asks(void)
{
	const __u32 host3 = HOST3;
	const struct tsw_probe probe = {.mine = htonl(0x05060708)};

	lab_set(M_PROBES, &host3, &probe);
}

#define TELL .sport = 7784, .dport = 49200
#define TOLD(header, ...)                                                                         \
	.program = FROM_WIRE, .in = {Q4(.to = IP_WIRE, TELL, .outer = &(header), ##__VA_ARGS__)}, \
	.setup = asked
#define TOLD6(header, ...)                                                                      \
	.program = FROM_WIRE,                                                                   \
	.in = {Q4(.from = IP6_HOST2, .to = IP6_WIRE, TELL, .outer = &(header), ##__VA_ARGS__)}, \
	.setup = asked

/* What ends here without a drop is noted. */
static const struct packet_case cases[] = {
	{"an answer by VXLAN", TOLD(vxlan4), .change = answered},
	{"by GRE", TOLD(gre4), .change = answered},
	{"by VXLAN over IPv6", TOLD6(vxlan6), .change = answered},
	{"by GRE over IPv6", TOLD6(gre6), .change = answered},
	{"by Geneve", TOLD(geneve4), .change = answered},
	{"by Geneve over IPv6", TOLD6(geneve6), .change = answered},
	{"by Geneve for no tunnel's end", TOLD(geneve_data), .change = answered, BAD},
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

static void tells(__u64 ago)
{
	const __u32 self = 0;
	struct timespec now;
	struct tsw_probe own = {.diagnostic = TSW_BFD_PATH_DOWN};

	clock_gettime(CLOCK_MONOTONIC, &now);
	own.answered = (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec - ago;
	lab_set(M_PROBES, &self, &own);
}

static void tells_now(void)
{
	tells(0);
}

static void told_before(void)
{
	tells(TSW_TELL);
}

static void answer_lame(const struct frame *in, struct frame *out)
{
	probe_answer(in, out);
	probe_bfd(out)[0] = 0x26;
	probe_sum_udp(out);
}

#define LAME .verdict = REDIRECTED, .make = answer_lame, .priority_out = PASS_DOWN

static const struct packet_case telling[] = {
	{"no way to the world", ASK(vxlan4), .change = probe_ask, .setup = tells_now, LAME},
	{"by GRE over IPv6", ASK6(gre6), .change = probe_ask, .setup = tells_now, LAME},
	{"told too long ago", ASK(vxlan4), .change = probe_ask, .setup = told_before, ANSWERED},
};

static void an_agent_tells(void **state)
{
	for (size_t i = 0; i < COUNT(telling); i++)
		packet_check(&telling[i]);
	(void)state;
}

static const struct CMUnitTest more[] = {
	cmocka_unit_test(an_agent_tells),
};

int main(void)
{
	const struct packet_suite suite = {"probe_heard", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
