// SPDX-License-Identifier: GPL-2.0-only
/* What rules.h promises: what is refused, by which number, and in words that name it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "rules/rules.h"

#include <cmocka.h>

#define assert_refused(err, code, words)                          \
	do {                                                      \
		assert_int_equal(err, -(code));                   \
		if (!strstr(failure()->text, words))              \
			fail_msg("it says: %s", failure()->text); \
	} while (0)

static void tenants(void **state)
{
	const struct rule_uses none = {}, endpoints = {.endpoints = 2, .policy = true},
			       policy = {.policy = true, .gateway = true},
			       gateway = {.gateway = true};
	const struct tsw_limits burst = {.burst = 1513};
	const struct tsw_tenant_spec wide = {.mtu = 1451, .encap = TSW_ENCAP_GRE};

	(void)state;
	assert_int_equal(rule_tenant_del(&none), 0);
	assert_refused(rule_tenant_del(&endpoints), EBUSY, "still has endpoints (2); force on");
	assert_refused(rule_tenant_del(&policy), EBUSY, "still has a gateway; force on");
	assert_int_equal(rule_renumber(7, &none), 0);
	assert_refused(rule_renumber(7, &endpoints), EBUSY, "has endpoints (2), so its id stays 7");
	assert_refused(rule_renumber(7, &policy), EBUSY, "groups or policies, so its id stays 7");
	assert_refused(rule_renumber(7, &gateway), EBUSY, "a gateway, so its id stays 7");
	assert_int_equal(rule_tenant_id(TSW_VNI_MAX, TSW_VNI_MAX), 0);
	assert_refused(rule_tenant_id(TSW_VNI_MAX + 1, TSW_VNI_MAX), ERANGE, "its id 16777216 is");
	assert_int_equal(rule_burst(&burst, 1499), 0);
	assert_refused(rule_burst(&burst, 1500), ERANGE, "which has up to 1514 octets");
	assert_int_equal(rule_burst(&burst, 0), 0);
	assert_int_equal(rule_mtu(&wide, 1451), 0);
	assert_int_equal(rule_mtu(&wide, 0), 0);
	assert_refused(rule_mtu(&wide, 1450), ERANGE, "allows with gre, which is 1450");
}

static void endpoints(void **state)
{
	const struct tsw_mac old = {{2, 0, 0, 0, 0, 1}}, other = {{2, 0, 0, 0, 0, 2}};
	struct rule_names names = {};
	int i;

	(void)state;
	assert_int_equal(rule_host_del(&names), 0);
	assert_refused(rule_host_del(&(struct rule_names){.n = 5}), EBUSY, "endpoints (5); move");
	rule_name(&names, "red", "a");
	assert_refused(
		rule_host_del(&names), EBUSY,
		"still has endpoints (1): red/a; move them, or delete them with the host by: "
		"force on");
	for (i = 0; i < 3; i++)
		rule_name(&names, "red", "b");
	assert_refused(rule_host_del(&names), EBUSY, "(4): red/a, red/b, red/b, ...; move");
	assert_int_equal(rule_addresses(TSW_ENDPOINT_IPS), 0);
	assert_refused(rule_addresses(TSW_ENDPOINT_IPS + 1), EOVERFLOW, "net it has 65");
	assert_int_equal(rule_moving_mac("a", &old, &old), 0);
	assert_refused(rule_moving_mac("a", &old, &other), EBUSY, "endpoint \"a\" moves");
	assert_refused(rule_no_net("red", "-c "), EADDRNOTAVAIL, "tsw -c tenant set red net CIDR");
	assert_refused(rule_no_net("red", ""), EADDRNOTAVAIL, "tsw tenant set red net CIDR");
}

static void targets(void **state)
{
	const struct tsw_publish_spec spec = {.proto = TSW_PROTO_UDP, .port = 53};
	struct tsw_publish_spec v6 = spec;
	struct tsw_prefix ip;
	struct tsw_addr at;

	(void)state;
	assert_int_equal(parse_prefix("10.0.0.254/24", &ip), 0);
	assert_int_equal(parse_ip("10.0.0.1", &at), 0);
	assert_int_equal(rule_target("red", &at, OWNER_ENDPOINT, &ip, 1), 0);
	assert_refused(rule_target("red", &at, OWNER_GATEWAY, &ip, 1), EINVAL, "gateway's own");
	assert_refused(rule_target("red", &at, OWNER_NOBODY, &ip, 1), ENOENT,
		       "no endpoint of tenant \"red\" has the address 10.0.0.1");
	assert_int_equal(parse_ip("fd00::1", &at), 0);
	assert_refused(rule_target("red", &at, OWNER_ENDPOINT, &ip, 1), EADDRNOTAVAIL,
		       "has no IPv6 address");
	v6.to = (struct tsw_target){at, 54};
	assert_refused(
		rule_is_published("red", &v6), EEXIST,
		"udp port 53 of IPv6 is already published by tenant \"red\", to [fd00::1]:54");
	assert_int_equal(rule_gateway_del(0, 0), 0);
	assert_refused(rule_gateway_del(2, 1), EBUSY, "ports (2) and halves of peerings (1);");
}

/* A tenant has 10.0.0.254/24 and fd00::fe/64, and gives GIVEN of it; the other has OTHER. */
static int peers(const char *given, const char *other)
{
	struct tsw_prefix own[2], its, part;
	const struct rule_side of = {"red", own, &part, 2, *given ? 1 : 0},
			       with = {"blue", &its, NULL, 1, 0};

	assert_int_equal(parse_prefix("10.0.0.254/24", &own[0]), 0);
	assert_int_equal(parse_prefix("fd00::fe/64", &own[1]), 0);
	assert_int_equal(parse_prefix(other, &its), 0);
	assert_int_equal(*given ? parse_prefix(given, &part) : 0, 0);
	return rule_peer_networks(&of, &with);
}

static void peerings(void **state)
{
	(void)state;
	assert_int_equal(rule_peer_differs("red", "blue"), 0);
	assert_refused(rule_peer_differs("red", "red"), EINVAL, "no peering with itself");
	assert_int_equal(peers("", "10.1.0.254/24"), 0);
	assert_refused(peers("", "10.0.0.1/16"), EEXIST,
		       "10.0.0.0/24 of tenant \"red\" overlaps 10.0.0.0/16 of tenant \"blue\"");
	assert_int_equal(peers("10.0.0.128/25", "10.0.0.1/25"), 0);
	assert_refused(peers("10.0.0.0/25", "10.0.0.1/25"), EEXIST, "overlaps");
	assert_refused(peers("10.0.1.0/25", "10.1.0.1/24"), EINVAL,
		       "in no network of tenant \"red\"'s gateway: 10.0.0.0/24 fd00::/64");
	assert_refused(peers("10.0.0.0/23", "10.1.0.1/24"), EINVAL, "in no network");
}

static void groups(void **state)
{
	static const struct tsw_name twice[] = {{"web"}, {"db"}, {"web"}};

	(void)state;
	assert_int_equal(rule_groups("red", 0, twice, 2), 0);
	assert_refused(rule_groups("red", 0, twice, 3), EINVAL, "group \"web\" is given twice");
	assert_int_equal(rule_groups("red", TSW_POLICY_GROUPS - 2, twice, 2), 0);
	assert_refused(rule_groups("red", TSW_POLICY_GROUPS - 1, twice, 2), ENOSPC,
		       "tenant \"red\" has");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tenants),  cmocka_unit_test(endpoints), cmocka_unit_test(targets),
		cmocka_unit_test(peerings), cmocka_unit_test(groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
