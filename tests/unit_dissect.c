// SPDX-License-Identifier: GPL-2.0-only
/* What a frame tells, also where it is cut off at any place. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch/dissect.h"
#include "frame.h"
#include "base/text.h"

#include <cmocka.h>

#define VTEP "192.0.2.1"
#define VTEP6 "2001:db8::1"

static struct tsw_config config;

static int config_make(void **state)
{
	struct in6_addr v6;

	(void)state;
	config.port = htons(4789);
	config.local[TSW_IPV4] = addr_from_v4(inet_addr(VTEP));
	inet_pton(AF_INET6, VTEP6, &v6);
	memcpy(&config.local[TSW_IPV6], &v6, sizeof(v6));
	return 0;
}

static void plain(void **state)
{
	const struct spec spec = {.sport = 1000, .dport = 80};
	struct dissected d;
	struct frame f;

	(void)state;
	frame_build(&spec, &f);
	dissect(f.b, f.len, &config, true, &d);
	assert_false(d.outer);
	assert_true(d.of.eth && d.of.ip && d.of.has_proto && d.of.ports);
	assert_string_equal(mac_text(&d.of.src), MAC_A);
	assert_string_equal(mac_text(&d.of.dst), MAC_B);
	assert_string_equal(addr_text(&d.of.from), IP_A);
	assert_string_equal(addr_text(&d.of.to), IP_B);
	assert_int_equal(d.of.sport, 1000);
	assert_int_equal(d.of.dport, 80);
	assert_string_equal(ip_proto_text(d.of.proto), "udp");
	assert_string_equal(ethertype_text(d.of.type), "ipv4");
}

/* Each way that a tunnel has; but only where one can be, and from or to this host. */
static void tunnels(void **state)
{
	const struct outer ways[] = {
		{.to = VTEP, .from = "192.0.2.2"},
		{.to = VTEP, .from = "192.0.2.2", .gre = true},
		{.to = VTEP6, .from = "2001:db8::2"},
		{.to = VTEP6, .from = "2001:db8::2", .gre = true},
		{.to = VTEP, .from = "192.0.2.2", .geneve = true},
		{.to = VTEP6, .from = "2001:db8::2", .geneve = true, .tlvs = "0102030111111111"},
		{.from = VTEP, .to = "192.0.2.2"},
	};
	const struct outer other = {.to = "192.0.2.3", .from = "192.0.2.2"};
	struct spec spec = {};
	struct dissected d;
	struct frame f;

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		spec.outer = &ways[i];
		frame_build(&spec, &f);
		dissect(f.b, f.len, &config, true, &d);
		assert_true(d.outer);
		assert_string_equal(addr_text(&d.way.from), ways[i].from);
		assert_string_equal(addr_text(&d.way.to), ways[i].to);
		assert_string_equal(addr_text(&d.of.from), IP_A);
		assert_string_equal(mac_text(&d.of.dst), MAC_B);
		dissect(f.b, f.len, &config, false, &d);
		assert_false(d.outer);
	}
	spec.outer = &other;
	frame_build(&spec, &f);
	dissect(f.b, f.len, &config, true, &d);
	assert_false(d.outer);
}

/* What an IEEE 802.3 frame carries by SNAP, behind tags and further SNAP headers, too. */
static void snap(void **state)
{
	static const struct {
		const char *header, *type, *from;
	} cases[] = {
		{"aaaa030000000800", "ipv4", IP_A},
		{"aaaa030000f80800", "ipv4", IP_A},
		{"aaaa030000008100"
		 "00050800",
		 "ipv4", IP_A},
		{"aaaa030000000020"
		 "aaaa030000000800",
		 "ipv4", IP_A},
		{"aaaa0300000088b5", "0x88b5", NULL},
		{"aaaa030800070800", "0x0040", NULL}, /* AppleTalk's own numbers */
		{"4242030000000000", "0x0040", NULL},
	};
	struct spec spec = {.kind = KIND_RAW, .type = 0x0040};
	struct dissected d;
	struct frame f;
	char octets[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(octets, sizeof(octets), "%s%s", cases[i].header,
			 "4500001c00000000401100000a0000010a000002"
			 "03e8005000080000");
		spec.rest = octets;
		frame_build(&spec, &f);
		dissect(f.b, f.len, &config, true, &d);
		assert_string_equal(ethertype_text(d.of.type), cases[i].type);
		assert_int_equal(d.of.ip && d.of.ports, !!cases[i].from);
		if (cases[i].from)
			assert_string_equal(addr_text(&d.of.from), cases[i].from);
	}
}

/* Exactly as many octets in memory as are said to be: a sanitizer would see one that is not. */
static void cut_each(const struct outer *outer, size_t inner_ends)
{
	const struct spec spec = {.outer = outer};
	struct dissected d;
	struct frame f;
	__u8 *part;

	frame_build(&spec, &f);
	for (size_t len = 0; len <= f.len; len++) {
		part = malloc(len ? len : 1);
		memcpy(part, f.b, len);
		dissect(part, len, &config, true, &d);
		assert_int_equal(d.of.eth, d.outer ? len >= inner_ends : len >= 14);
		free(part);
	}
	assert_true(d.outer && d.of.ports);
}

static void cut_off(void **state)
{
	const struct outer gre = {.to = VTEP6, .from = "2001:db8::2", .gre = true};
	const struct outer geneve = {
		.to = VTEP6, .from = "2001:db8::2", .geneve = true, .tlvs = "0102030111111111"};

	(void)state;
	cut_each(&gre, 14 + 40 + 8 + 14);
	cut_each(&geneve, 14 + 40 + 16 + 8 + 14);
}

/* Octets at random behind headers that lead far: nothing is read that is not there. */
static void noise(void **state)
{
	static const __u16 types[] = {0x0800, 0x86dd, 0x0806, 0x8100, 0x88a8, 0x0040};
	static const __u8 header[] = {0xaa, 0xaa, 0x03, 0, 0, 0};
	struct dissected d;
	__u8 octets[160];

	(void)state;
	srandom(1);
	for (int i = 0; i < 200000; i++) {
		size_t len = (size_t)random() % sizeof(octets);
		__u16 type = htons(types[(size_t)i % 6]);
		__u8 *part = malloc(len ? len : 1);

		for (size_t at = 0; at < sizeof(octets); at++)
			octets[at] = (__u8)random();
		memcpy(octets + 12, &type, sizeof(type));
		octets[14] = type == htons(0x0800) ? (__u8)(0x40 | (random() & 15)) : 0x60;
		if (type == htons(0x0040))
			memcpy(octets + 14, header, sizeof(header));
		memcpy(part, octets, len);
		dissect(part, len, &config, true, &d);
		assert_int_equal(d.of.eth, len >= 14);
		free(part);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),   cmocka_unit_test(tunnels), cmocka_unit_test(snap),
		cmocka_unit_test(cut_off), cmocka_unit_test(noise),
	};

	return cmocka_run_group_tests_name("dissect", tests, config_make, NULL);
}
