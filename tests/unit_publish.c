// SPDX-License-Identifier: GPL-2.0-only
/* Published ports and peerings: their words, and what two halves have in common. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "base/parse.h"
#include "base/spell.h"
#include "base/text.h"
#include "cli/command.h"
#include "object/peer.h"
#include "object/publish.h"
#include "record/peer_pair.h"
#include "typed.h"

#include <cmocka.h>

static void assert_misuse(int result, const char *text)
{
	assert_int_not_equal(result, 0);
	assert_int_equal(failure()->status, EXIT_MISUSE);
	if (!strstr(failure()->text, quoted(text)))
		fail_msg("\"%s\" does not quote \"%s\"", failure()->text, text);
}

static void targets(void **state)
{
	static const char *const refused[] = {
		"",
		":80",
		"10.0.0.1",
		"10.0.0.1:",
		"10.0.0.1:0",
		"10.0.0.1:65536",
		"10.0.0.1:+1",
		"10.0.0.1:80:80",
		"10.0.0.1/8:80",
		"fd00::1:80",
		"[fd00::1]",
		"[fd00::1]:",
		"[fd00::1:80",
		"fd00::1]:80",
		"[10.0.0.1]:80",
		"[]:80",
		"[:80",
		"]:80",
		"[::1]:80",
		"0.0.0.0:80",
		"127.0.0.1:80",
		"[ff02::1]:80",
		"[fd00::1]]:80",
		"[[fd00::1]:80",
		"host:80",
		"10.0.0.1 :80",
		"[::ffff:10.0.0.1]:80",
		"1111111111111111111111111111111111111111111111111111111111111111111:80"};
	struct tsw_target target;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_misuse(parse_target(refused[i], &target), refused[i]);
	assert_int_equal(parse_target("10.0.0.1:80", &target), 0);
	assert_string_equal(addr_text(&target.addr), "10.0.0.1");
	assert_int_equal(target.port, 80);
	assert_int_equal(parse_target("[fd00::1]:65535", &target), 0);
	assert_string_equal(addr_text(&target.addr), "fd00::1");
	assert_int_equal(target.port, 65535);
}

static void target_texts(void **state)
{
	struct tsw_publish to = {.port = 80};

	(void)state;
	assert_int_equal(parse_ip("10.0.0.1", &to.addr), 0);
	assert_string_equal(target_text(&to.addr, to.port), "10.0.0.1:80");
	assert_int_equal(parse_ip("fd00::1", &to.addr), 0);
	assert_string_equal(target_text(&to.addr, to.port), "[fd00::1]:80");
}

static void networks(void **state)
{
	static const char *const refused[] = {
		"",	      "10.0.0.0",   "10.0.0.1/24", "10.0.0.0/33",    "10.0.0.0/",
		"10.0.0.0/0", "fd00::1/64", "fd00::/129",  "10.0.0.0/24/24", "fd00::8/125x",
		"0.0.0.0/0",  "224.0.0.0/4"};
	struct tsw_prefix network;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_misuse(parse_network(refused[i], &network), refused[i]);
	assert_misuse(parse_network("10.0.0.5/30", &network), "10.0.0.5/30");
	assert_non_null(strstr(failure()->text, "the network is 10.0.0.4/30"));
	assert_int_equal(parse_network("10.0.0.4/30", &network), 0);
	assert_int_equal(network.len, 126);
	assert_int_equal(parse_network("fd00::/64", &network), 0);
	assert_int_equal(network.len, 64);
	assert_int_equal(parse_network("10.0.0.5/32", &network), 0);
	assert_int_equal(network.len, 128);
}

static int read_line(const char *text, struct words *words)
{
	const struct command *command;

	return typed(text, &command, words);
}

static void words(void **state)
{
	struct words w;

	(void)state;
	assert_int_equal(read_line("publish add red proto udp port 53 to [fd00::1]:5353", &w), 0);
	assert_int_equal(w.given,
			 W_NAME | FIELD(PUBLISH_PROTO) | FIELD(PUBLISH_PORT) | FIELD(PUBLISH_TO));
	assert_int_equal(w.publish.proto, TSW_PROTO_UDP);
	assert_int_equal(w.publish.port, 53);
	assert_int_equal(w.publish.to.port, 5353);
	assert_int_equal(read_line("publish del red proto tcp port 80", &w), 0);
	assert_int_equal(read_line("peer add red with blue", &w), 0);
	assert_string_equal(w.peer.with.s, "blue");
	assert_int_equal(w.peer.prefix.n, 0);
	assert_int_equal(read_line("peer add red with blue proto tcp port 5432 prefix 10.0.0.0/25 "
				   "prefix fd00::/80",
				   &w),
			 0);
	assert_int_equal(w.peer.prefix.n, 2);
	assert_int_equal(w.peer.port, 5432);
	assert_misuse(read_line("peer add red with blue with green", &w), "with");
	assert_misuse(read_line("peer add red with blue prefix 10.0.0.0/25 prefix 10.0.0.0/26", &w),
		      "10.0.0.0/26");
	assert_misuse(read_line("peer del red with blue port 80", &w), "port");
	assert_int_not_equal(read_line("peer add red with blue port 80", &w), 0);
	assert_int_not_equal(read_line("peer add red with blue proto tcp", &w), 0);
	assert_int_equal(failure()->status, EXIT_MISUSE);
}

static void halves(void **state)
{
	static const struct {
		struct tsw_peer a, b;
		bool any;
		__u8 proto;
		__u16 port;
	} all[] = {
		{{}, {}, true, 0, 0},
		{{.proto = IPPROTO_TCP, .port = 80}, {}, true, IPPROTO_TCP, 80},
		{{}, {.proto = IPPROTO_UDP, .port = 53}, true, IPPROTO_UDP, 53},
		{{.proto = IPPROTO_TCP, .port = 80},
		 {.proto = IPPROTO_TCP, .port = 80},
		 true,
		 IPPROTO_TCP,
		 80},
		{{.proto = IPPROTO_TCP, .port = 80},
		 {.proto = IPPROTO_UDP, .port = 80},
		 false,
		 0,
		 0},
		{{.proto = IPPROTO_TCP, .port = 80},
		 {.proto = IPPROTO_TCP, .port = 81},
		 false,
		 0,
		 0},
	};
	struct pair pair = {};
	__u16 port;
	__u8 proto;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		pair.side[0].half = all[i].a;
		pair.side[1].half = all[i].b;
		assert_int_equal(peer_common(&pair, &proto, &port), all[i].any);
		if (!all[i].any)
			continue;
		assert_int_equal(proto, all[i].proto);
		assert_int_equal(port, all[i].port);
	}
}

/* Its prefixes, or without them the networks that its gateway's addresses are in. */
static void given(void **state)
{
	struct side side = {.gw.n_addrs = 2};
	struct tsw_prefix network[TSW_GATEWAY_ADDRS];

	(void)state;
	assert_int_equal(parse_prefix("10.0.0.254/24", &side.gw.addr[0]), 0);
	assert_int_equal(parse_prefix("fd00::fe/64", &side.gw.addr[1]), 0);
	assert_int_equal(side_networks(&side, network), 2);
	assert_string_equal(prefix_text(&network[0]), "10.0.0.0/24");
	assert_string_equal(prefix_text(&network[1]), "fd00::/64");
	side.half.n_prefixes = 1;
	assert_int_equal(parse_network("10.0.0.0/25", &side.half.prefix[0]), 0);
	assert_int_equal(side_networks(&side, network), 1);
	assert_string_equal(prefix_text(&network[0]), "10.0.0.0/25");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets),  cmocka_unit_test(target_texts),
		cmocka_unit_test(networks), cmocka_unit_test(words),
		cmocka_unit_test(halves),   cmocka_unit_test(given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
