// SPDX-License-Identifier: GPL-2.0-only
/* Who asks on an uplink for an address that tenants leave as is answered by who serves it. */
#include <bpf/bpf.h>
#include <linux/if_ether.h>
#include <string.h>
#include <time.h>

#include "packet.h"

#define IP_SNAT "192.0.2.200" /* on the network of the device that asks */
#define IP6_SNAT "2001:db8::c8"
#define IP_OTHER "203.0.113.200" /* on that of another */
#define IP6_OTHER "2001:db8:3::c8"
#define HEX_HOST2 "020000000102"
#define HEX_WIRE "020000000101"
#define SOURCE "0101" HEX_HOST2
#define TARGET "0201" HEX_WIRE
#define NONCE "0e01 112233445566"

static void serves(const char *ip, __u32 ifindex)
{
	const struct tsw_snat snat = {.gateways = 1, .ifindex = ifindex};
	struct tsw_addr addr;

	frame_ip((__u8 *)&addr, ip);
	lab_set(M_SNATS, &addr, &snat);
}

static void here(void)
{
	serves(IP_SNAT, WIRE);
	serves(IP6_SNAT, WIRE);
	serves(IP_OTHER, WIRE2);
	serves(IP6_OTHER, WIRE2);
	serves(IP_ROUTED, 0); /* on no network of the host's */
	serves(IP6_ROUTED, 0);
}

static void state_is(__u32 state, int seconds_ago)
{
	static const char *const both[] = {IP_SNAT, IP6_SNAT};
	struct tsw_snat snat = {.gateways = 1, .ifindex = WIRE, .state = state};
	struct tsw_addr addr;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (state & TSW_SNAT_LEFT)
		snat.heard = (now.tv_sec - seconds_ago) * 1000000000ULL;
	for (size_t i = 0; i < COUNT(both); i++) {
		frame_ip((__u8 *)&addr, both[i]);
		lab_set(M_SNATS, &addr, &snat);
	}
}

static void left(void)
{
	state_is(TSW_SNAT_DOUBT | TSW_SNAT_LEFT, 0);
}

static void left_long_ago(void)
{
	state_is(TSW_SNAT_DOUBT | TSW_SNAT_LEFT, 4);
}

static void doubt(void)
{
	state_is(TSW_SNAT_DOUBT, 0);
}

static void no_door(void)
{
	here();
	lab_no_door();
}

static void hardware_6(struct frame *f)
{
	f->b[ETH_HLEN + 1] = 6;
}

static void long_address(struct frame *f)
{
	f->b[ETH_HLEN + 5] = 16;
}

static void cut(struct frame *f)
{
	f->len = ETH_HLEN + 27;
}

static void from_group(struct frame *f)
{
	f->b[ETH_ALEN] |= 1;
}

static void bad_sum(struct frame *f)
{
	f->b[ETH_HLEN + 40 + 2] ^= 1;
}

static void padded(struct frame *f)
{
	const __u8 zeros[18] = {};

	frame_put(f, zeros, sizeof(zeros));
}

static void padding_stays(const struct frame *in, struct frame *out)
{
	frame_put(out, in->b + out->len, in->len - out->len);
}

#define IN .program = FROM_WIRE, .setup = here
#define ANSWERED(...) .out = &(const struct spec){__VA_ARGS__}, .verdict = REDIRECTED
#define SILENT .verdict = PASSED

#define ARP \
	.kind = KIND_ARP, .src = MAC_HOST2, .sha = MAC_HOST2, .from = IP_HOST2, .dst = MAC_BROADCAST
#define ARP_ANSWER                                                                     \
	.kind = KIND_ARP, .op = 2, .dst = MAC_HOST2, .tha = MAC_HOST2, .to = IP_HOST2, \
	.src = MAC_WIRE, .sha = MAC_WIRE, .from = IP_SNAT
#define ND .kind = KIND_ICMP, .ttl = 255, .src = MAC_HOST2, .from = IP6_HOST2
#define NS                                                                    \
	ND, .icmp_type = 135, .rest = "00000000", .dst = "33:33:ff:00:00:c8", \
	    .to = "ff02::1:ff00:c8", .target = IP6_SNAT
#define NA                                                                                    \
	.kind = KIND_ICMP, .ttl = 255, .icmp_type = 136, .rest = "60000000", .src = MAC_WIRE, \
	.from = IP6_SNAT, .target = IP6_SNAT, .tail = TARGET, .dst = MAC_HOST2, .to = IP6_HOST2
/* RFC 4861 section 7.2.4. */
#define NA_TO_ALL NA, .rest = "20000000", .dst = "33:33:00:00:00:01", .to = "ff02::1"

static const struct packet_case cases[] = {
	{"ARP", IN, .in = {ARP, .to = IP_SNAT}, ANSWERED(ARP_ANSWER)},
	{"ARP, to this host alone", IN, .in = {ARP, .to = IP_SNAT, .dst = MAC_WIRE},
	 ANSWERED(ARP_ANSWER)},
	{"ARP, a probe", IN, .in = {ARP, .to = IP_SNAT, .from = "0.0.0.0"},
	 ANSWERED(ARP_ANSWER, .to = "0.0.0.0")},
	{"ARP, padded", IN, .in = {ARP, .to = IP_SNAT}, .change = padded, ANSWERED(ARP_ANSWER),
	 .make = padding_stays},
	{"ARP, the address is not served here", .program = FROM_WIRE, .in = {ARP, .to = IP_SNAT},
	 SILENT},
	{"ARP for another", IN, .in = {ARP, .to = IP_STRANGER}, SILENT},
	{"ARP on another network", IN, .in = {ARP, .to = IP_OTHER}, SILENT},
	{"ARP for what a router leads to", IN, .in = {ARP, .to = IP_ROUTED}, SILENT},
	{"ARP where no gateway is", .program = FROM_WIRE, .setup = no_door,
	 .in = {ARP, .to = IP_SNAT}, SILENT},
	{"ARP, an announcement", IN, .in = {ARP, .from = IP_SNAT, .to = IP_SNAT}, SILENT},
	{"ARP, an answer", IN, .in = {ARP, .op = 2, .to = IP_SNAT}, SILENT},
	{"ARP of another hardware", IN, .in = {ARP, .to = IP_SNAT}, .change = hardware_6, SILENT},
	{"ARP of long addresses", IN, .in = {ARP, .to = IP_SNAT}, .change = long_address, SILENT},
	{"ARP, cut off", IN, .in = {ARP, .to = IP_SNAT}, .change = cut, SILENT},
	{"ARP, the address was left", .program = FROM_WIRE, .setup = left,
	 .in = {ARP, .to = IP_SNAT}, SILENT},
	{"ARP, the other was heard too long ago", .program = FROM_WIRE, .setup = left_long_ago,
	 .in = {ARP, .to = IP_SNAT}, ANSWERED(ARP_ANSWER)},
	{"ARP in doubt", .program = FROM_WIRE, .setup = doubt, .in = {ARP, .to = IP_SNAT},
	 ANSWERED(ARP_ANSWER)},
	{"ARP from a group", IN, .in = {ARP, .to = IP_SNAT}, .change = from_group, SILENT},

	{"NS", IN, .in = {NS, .tail = SOURCE}, ANSWERED(NA)},
	{"NS without an option", IN, .in = {NS}, ANSWERED(NA)},
	{"NS with two", IN, .in = {NS, .tail = SOURCE NONCE}, ANSWERED(NA)},
	{"NS to the address", IN, .in = {NS, .tail = SOURCE, .dst = MAC_WIRE, .to = IP6_SNAT},
	 ANSWERED(NA)},
	{"NS from a link-local address", IN, .in = {NS, .tail = SOURCE, .from = LL6_A},
	 ANSWERED(NA, .to = LL6_A)},
	{"NS, padded", IN, .in = {NS, .tail = SOURCE}, .change = padded, ANSWERED(NA)},
	{"DAD", IN, .in = {NS, .from = "::"}, ANSWERED(NA_TO_ALL)},
	{"DAD with a nonce", IN, .in = {NS, .from = "::", .tail = NONCE}, ANSWERED(NA_TO_ALL)},
	{"DAD that tells a MAC", IN, .in = {NS, .from = "::", .tail = SOURCE}, SILENT},
	{"DAD to the address", IN, .in = {NS, .from = "::", .dst = MAC_WIRE, .to = IP6_SNAT},
	 SILENT},
	{"NS, the address is not served here", .program = FROM_WIRE, .in = {NS, .tail = SOURCE},
	 SILENT},
	{"NS for another", IN, .in = {NS, .tail = SOURCE, .target = "2001:db8:1::c8"}, SILENT},
	{"NS to another group", IN, .in = {NS, .tail = SOURCE, .to = "ff02::1:ff00:c9"}, SILENT},
	{"NS on another network", IN, .in = {NS, .tail = SOURCE, .target = IP6_OTHER}, SILENT},
	{"NS for what a router leads to", IN,
	 .in = {NS, .target = IP6_ROUTED, .to = "ff02::1:ff00:7"}, SILENT},
	{"NS through a router", IN, .in = {NS, .tail = SOURCE, .ttl = 254}, SILENT},
	{"NS of code 1", IN, .in = {NS, .tail = SOURCE, .icmp_code = 1}, SILENT},
	{"NS, its sum is wrong", IN, .in = {NS, .tail = SOURCE}, .change = bad_sum, SILENT},
	{"NS, half an option", IN, .in = {NS, .tail = "01010200"}, SILENT},
	{"NS with six options", IN, .in = {NS, .tail = SOURCE NONCE NONCE NONCE NONCE NONCE},
	 SILENT},
	{"NS, the address was left", .program = FROM_WIRE, .setup = left,
	 .in = {NS, .tail = SOURCE}, SILENT},
	{"NS in doubt", .program = FROM_WIRE, .setup = doubt, .in = {NS, .tail = SOURCE},
	 ANSWERED(NA)},
	{"NA", IN, .in = {NS, .icmp_type = 136, .tail = SOURCE}, SILENT},
	{"NS where no gateway is", .program = FROM_WIRE, .setup = no_door,
	 .in = {NS, .tail = SOURCE}, SILENT},
};

/* ---- another says that it has the address --------------------------------------------------- */

#define CLAIM .kind = KIND_ARP, .src = MAC_HOST2, .sha = MAC_HOST2, .dst = MAC_BROADCAST
#define CLAIM6                                                                                 \
	ND, .icmp_type = 136, .rest = "20000000", .dst = "33:33:00:00:00:01", .to = "ff02::1", \
	    .from = IP6_SNAT, .target = IP6_SNAT, .tail = "0201" HEX_HOST2

struct claim {
	struct spec said;
	void (*change)(struct frame *f);
	bool heard;
};

static const struct claim claims[] = {
	{{CLAIM, .from = IP_SNAT, .to = IP_SNAT}, NULL, true},
	{{CLAIM, .from = IP_SNAT, .to = IP_SNAT, .op = 2}, NULL, true},
	{{CLAIM, .from = IP_SNAT, .to = IP_SNAT, .src = MAC_WIRE, .sha = MAC_WIRE}, NULL, false},
	{{CLAIM, .from = IP_STRANGER, .to = IP_STRANGER}, NULL, false},
	{{CLAIM, .from = IP_HOST2, .to = IP_SNAT, .op = 2}, NULL, false},
	{{CLAIM6}, NULL, true},
	{{CLAIM6, .rest = "60000000", .to = IP6_HOST4}, NULL, true},
	{{CLAIM6, .rest = "00000000"}, NULL, false},
	{{CLAIM6, .ttl = 254}, NULL, false},
	{{CLAIM6, .src = MAC_WIRE}, NULL, false},
	{{CLAIM6, .target = IP6_OTHER}, NULL, false},
	{{CLAIM6}, bad_sum, false},
};

static struct tsw_snat entry_of(const char *ip)
{
	struct tsw_snat snat = {};
	struct tsw_addr addr;

	frame_ip((__u8 *)&addr, ip);
	bpf_map_lookup_elem(lab_map(M_SNATS), &addr, &snat);
	return snat;
}

static void hear(const struct claim *c)
{
	const struct __sk_buff ctx = {.ifindex = WIRE};
	struct packet_run run;
	struct frame f;

	frame_build(&c->said, &f);
	if (c->change)
		c->change(&f);
	assert_int_equal(packet_run(FROM_WIRE, &f, &ctx, &run), 0);
	assert_int_equal(run.verdict, TC_ACT_UNSPEC);
}

/* Nothing is left that was not in doubt; and what is left is the address that was heard of. */
static void check_claims(__u32 state, __u32 then)
{
	for (size_t i = 0; i < COUNT(claims); i++) {
		const bool v6 = claims[i].said.kind == KIND_ICMP;
		struct tsw_snat its, other;

		state_is(state, 0);
		hear(&claims[i]);
		its = entry_of(v6 ? IP6_SNAT : IP_SNAT);
		other = entry_of(v6 ? IP_SNAT : IP6_SNAT);
		assert_int_equal(!!its.heard, claims[i].heard);
		assert_int_equal(its.state, claims[i].heard ? then : state);
		assert_int_equal(other.state, state);
	}
	lab_fill();
}

static void claims_are_heard(void **unused)
{
	(void)unused;
	check_claims(0, 0);
}

static void in_doubt_it_is_left(void **unused)
{
	(void)unused;
	check_claims(TSW_SNAT_DOUBT, TSW_SNAT_DOUBT | TSW_SNAT_LEFT);
}

static const struct CMUnitTest more[] = {
	cmocka_unit_test(claims_are_heard),
	cmocka_unit_test(in_doubt_it_is_left),
};

int main(void)
{
	const struct packet_suite suite = {"proxy", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
