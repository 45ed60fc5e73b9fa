// SPDX-License-Identifier: GPL-2.0-only
/* Who asks on an uplink for an address that tenants leave as is answered by who serves it. */
#include <linux/if_ether.h>
#include <string.h>

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
	{"NA", IN, .in = {NS, .icmp_type = 136, .tail = SOURCE}, SILENT},
	{"NS where no gateway is", .program = FROM_WIRE, .setup = no_door,
	 .in = {NS, .tail = SOURCE}, SILENT},
};

int main(void)
{
	const struct packet_suite suite = {"speak", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
