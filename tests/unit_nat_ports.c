// SPDX-License-Identifier: GPL-2.0-only
/* By which ports tenants leave: none of the switch's own, nor a published one. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "door/nat_ports.h"
#include "switch/settings.h"

#include <cmocka.h>

enum { VXLAN = 4789 };

static const struct own_case {
	const char *name;
	__u16 low, high;
	__u16 port; /* of VXLAN */
	__u32 wg;   /* 0: not encrypted, and the port is in the range */
	const char *message;
} own_cases[] = {
	{"auto", 0, 0, VXLAN, 20000, NULL},
	{"none of them", 10000, 20000, VXLAN, 51820, NULL},
	{"VXLAN's", 4000, 5000, VXLAN, 51820, "port of the switch's tunnels"},
	{"another of VXLAN", 10000, 20000, 15000, 51820, "port of the switch's tunnels"},
	{"Geneve's", 6000, 7000, VXLAN, 51820, "port of the switch's tunnels"},
	{"WireGuard's first", 10000, 20000, VXLAN, 20000, "WireGuard's ports 20000-20003"},
	{"WireGuard's last", 10000, 20000, VXLAN, 9997, "WireGuard's ports 9997-10000"},
	{"just below", 10000, 20000, VXLAN, 9996, NULL},
	{"just above", 10000, 20000, VXLAN, 20001, NULL},
	{"WireGuard's, not encrypted", 10000, 20000, VXLAN, 0, NULL},
};

static void own(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(own_cases) / sizeof(own_cases[0]); i++) {
		const struct own_case *c = &own_cases[i];
		const struct tsw_config config = {.nat_asked_low = c->low,
						  .nat_asked_high = c->high,
						  .port = htons(c->port),
						  .flags = c->wg ? TSW_CFG_ENCRYPT : 0};
		const struct tsw_crypt crypt = {.port = c->wg ? c->wg : 15000};
		const int err = settings_check_ports(&config, &crypt);

		print_message("%s\n", c->name);
		assert_int_equal(err, c->message ? -EADDRINUSE : 0);
		if (c->message)
			assert_non_null(strstr(failure()->text, c->message));
	}
}

static void published(void **state)
{
	const struct tsw_config config = {
		.nat_asked_low = 10000, .nat_asked_high = 20000, .flags = TSW_CFG_ENCRYPT};
	const struct tsw_config clear = {.nat_asked_low = 10000, .nat_asked_high = 20000};
	const struct tsw_crypt crypt = {.port = 51820};
	struct tsw_publish_key key = {.proto = IPPROTO_UDP, .port = 51823};

	(void)state;
	assert_int_equal(settings_check_published(&config, &crypt, &key), -EADDRINUSE);
	assert_non_null(strstr(failure()->text, "another wg-port"));
	assert_int_equal(settings_check_published(&clear, &crypt, &key), 0);
	key.port++;
	assert_int_equal(settings_check_published(&config, &crypt, &key), 0);
	key = (struct tsw_publish_key){.proto = IPPROTO_TCP, .port = 51820};
	assert_int_equal(settings_check_published(&config, &crypt, &key), 0);
	key.port = 20000;
	assert_int_equal(settings_check_published(&clear, &crypt, &key), -EADDRINUSE);
	assert_non_null(strstr(failure()->text, "nat-ports 10000-20000"));
}

/* WireGuard has four ports, which may reach over either end of the range. */
static void beside(void **state)
{
	static const struct {
		__u32 first;
		struct tsw_port_range left;
	} cases[] = {
		{9996, {10000, 29999}},	 {9997, {10001, 29999}},  {9999, {10003, 29999}},
		{10000, {10004, 29999}}, {15000, {15004, 29999}}, {25000, {10000, 24999}},
		{29996, {10000, 29995}}, {29997, {10000, 29996}}, {29999, {10000, 29998}},
		{30000, {10000, 29999}},
	};
	const struct tsw_port_range range = {10000, 29999};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tsw_port_range left = nat_ports_without(range, cases[i].first, 4);

		print_message("without 4 ports from %u\n", cases[i].first);
		assert_int_equal(left.first, cases[i].left.first);
		assert_int_equal(left.last, cases[i].left.last);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(own), cmocka_unit_test(published),
					   cmocka_unit_test(beside)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
