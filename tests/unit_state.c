// SPDX-License-Identifier: GPL-2.0-only
/* Files of `apply`: what is refused, and where it says that the fault is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "base/lookup.h"
#include "base/text.h"
#include "state/check.h"
#include "state/json.h"
#include "state/missing.h"
#include "state/read.h"

#include <cmocka.h>

static int read_text(const char *text, struct state *s)
{
	json_error_t error;
	json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	int err;

	if (!value)
		fail_msg("not JSON: %s: %s", error.text, text);
	err = state_read(value, s);
	json_decref(value);
	return err ? err : state_check(s);
}

#define HOSTS \
	"\"hosts\":[{\"name\":\"h1\",\"ip\":[\"192.0.2.1\"]},{\"name\":\"h2\",\"ip\":[\"192.0.2.2\"]}]"
#define FILE_WITH(tenants) "{\"format\":1," HOSTS ",\"tenants\":[" tenants "]}"
#define RED(rest) "{\"name\":\"red\",\"id\":100" rest "}"
#define BLUE(rest) "{\"name\":\"blue\",\"id\":200" rest "}"
#define EP(name, mac, rest) "{\"name\":\"" name "\",\"mac\":\"02:00:00:00:00:" mac "\"," rest "}"
#define GATEWAY(ip) ",\"gateway\":{\"ip\":[\"" ip "\"]}"
#define ROUTED(ip) ",\"gateway\":{\"ip\":[\"" ip "\"],\"nat\":false}"
#define THIRD "{\"name\":\"third\",\"id\":3" GATEWAY("10.0.0.9/25") "}"
#define PEERS(list)                                                                           \
	"{\"format\":1," HOSTS ",\"tenants\":[" RED(GATEWAY("10.0.0.1/24")) "," BLUE(GATEWAY( \
		"10.1.0.1/24")) "," THIRD ",{\"name\":\"nobody\",\"id\":4}],\"peers\":[" list "]}"
#define HALF(of, with, rest) "{\"tenant\":\"" of "\",\"with\":\"" with "\"" rest "}"
#define R(name, net) EP(name, "0" name, "\"host\":\"h2\",\"ip\":[],\"prefix\":[\"" net "\"]")
#define ENDPOINTS(list) ",\"endpoints\":[" list "]"
#define PUBLISH(list) ",\"publish\":[" list "]"
#define PORT1(to, host) "{\"proto\":\"tcp\",\"port\":1,\"to\":\"" to "\",\"host\":\"" host "\"}"
#define MOVES(dev) "\"host\":\"h2\",\"dev\":\"veth1\",\"to_host\":\"h1\",\"to_dev\":\"" dev "\""
#define A EP("a", "01", "\"host\":\"h1\",\"dev\":\"veth1\",\"ip\":[\"10.0.0.1\"]")

#define KEY "//////////////////////////////////////////8="
#define KEYED(name, ip, keys) "{\"name\":\"" name "\",\"ip\":[\"" ip "\"],\"key\":[" keys "]}"
#define WITH_KEYS(keys) "{\"format\":1,\"hosts\":[" KEYED("h1", "192.0.2.1", keys) "]}"

struct bad {
	const char *text;
	const char *where; /* the message begins with it */
	const char *quote; /* and has it, quoted */
};

static const struct bad values[] = {
	{"[]", "[] is not an object", NULL},
	{"{}", "\"format\" is missing", NULL},
	{"{\"format\":2," HOSTS "}", "format: 2 is not a number from 1 to 1", NULL},
	{"{\"format\":\"1\"," HOSTS "}", "format: ", "1"},
	{"{\"format\":1}", "\"hosts\" is missing", NULL},
	{"{\"format\":1,\"hosts\":{}}", "hosts: {} is not a list", NULL},
	{"{\"format\":1," HOSTS ",\"tenant\":[]}", "unknown key ", "tenant"},
	{"{\"format\":1,\"hosts\":[{\"name\":\"h1\",\"ip\":\"192.0.2.1\"}]}",
	 "hosts[0].ip: ", "192.0.2.1"},
	{"{\"format\":1,\"hosts\":[{\"name\":\"h1\",\"ip\":[]}]}", "hosts[0].ip: ", NULL},
	{"{\"format\":1,\"hosts\":[{\"name\":\"h1\",\"ip\":[\"224.0.0.1\"]}]}",
	 "hosts[0].ip[0]: ", "224.0.0.1"},
	{"{\"format\":1,\"hosts\":[{\"name\":\"h1\",\"ip\":[\"10.0.0.1\",\"10.0.0.2\"]}]}",
	 "hosts[0].ip[1]: ", "10.0.0.2"},
	{"{\"format\":1,\"hosts\":[{\"name\":\"none\",\"ip\":[\"10.0.0.1\"]}]}",
	 "hosts[0].name: ", "none"},
	{"{\"format\":1,\"hosts\":[{\"name\":\"a b\",\"ip\":[\"10.0.0.1\"]}]}",
	 "hosts[0].name: ", "a b"},
	{"{\"format\":1,\"hosts\":[{\"name\":\"h1\",\"ip\":[\"10.0.0.1\"],\"switch\":{\"port\":0}}]}",
	 "hosts[0].switch.port: 0 is not", NULL},
	{"{\"format\":1,\"switch\":{\"dev\":[\"eth0\",\"eth0\"]}," HOSTS "}",
	 "switch.dev[1]: ", "eth0"},
	{"{\"format\":1,\"switch\":{\"xdp\":\"fast\"}," HOSTS "}", "switch.xdp: ", "fast"},
	{"{\"format\":1,\"switch\":{\"dev\":[\"a-name-of-20-letters\"]}," HOSTS "}",
	 "switch.dev[0]: ", "a-name-of-20-letters"},
	{"{\"format\":1,\"switch\":{\"encrypt\":\"ipsec\"}," HOSTS "}",
	 "switch.encrypt: ", "ipsec"},
	{"{\"format\":1,\"switch\":{\"wg_port\":65533}," HOSTS "}", "switch.wg_port: 65533 is not",
	 NULL},
	{WITH_KEYS("\"AAAA\""), "hosts[0].key[0]: ", "AAAA"},
	{WITH_KEYS("\"" KEY "\",\"" KEY "\""), "hosts[0].key[1]: ", KEY},
	{FILE_WITH("3"), "tenants[0]: 3 is not an object", NULL},
	{FILE_WITH("{\"name\":\"red\"}"), "tenants[0]: \"id\" is missing", NULL},
	{FILE_WITH("{\"name\":\"red\",\"id\":0}"), "tenants[0].id: 0 is not a number", NULL},
	{FILE_WITH("{\"name\":\"red\",\"id\":-1}"), "tenants[0].id: -1 is not a number", NULL},
	{FILE_WITH("{\"name\":\"red\",\"id\":1.5}"), "tenants[0].id: 1.5 is not a number", NULL},
	{FILE_WITH("{\"name\":\"red\",\"id\":4294967296}"), "tenants[0].id: 4294967296 is", NULL},
	{FILE_WITH("{\"name\":\"red\",\"id\":16777216}"), "tenants[0].id: 16777216 is more", NULL},
	{FILE_WITH("{\"name\":\"red\",\"id\":16777216,\"encap\":\"geneve\"}"),
	 "tenants[0].id: 16777216 is more", NULL},
	{FILE_WITH(RED(",\"encap\":\"nvgre\"")), "tenants[0].encap: ", "nvgre"},
	{FILE_WITH(RED(",\"mtu\":575")), "tenants[0].mtu: 575 is not", NULL},
	{FILE_WITH(RED(",\"broadcast\":1")), "tenants[0].broadcast: 1 is not true or false", NULL},
	{FILE_WITH(RED(",\"rate_out\":999")), "tenants[0].rate_out: 999 is not", NULL},
	{FILE_WITH(RED(",\"rate_out\":\"1mbit\"")), "tenants[0].rate_out: ", "1mbit"},
	{FILE_WITH(RED(",\"burst\":5000")), "tenants[0]: burst 5000 goes with a rate", NULL},
	{FILE_WITH(RED(",\"endpoint\":[]")), "tenants[0]: unknown key ", "endpoint"},
	{FILE_WITH(RED(ENDPOINTS("{\"name\":\"a\"}"))),
	 "tenants[0].endpoints[0]: \"mac\" is missing", NULL},
	{FILE_WITH(RED(ENDPOINTS(EP("a", "0g", "\"host\":\"h1\"")))),
	 "tenants[0].endpoints[0].mac: ", "02:00:00:00:00:0g"},
	{FILE_WITH(RED(ENDPOINTS(EP("a", "01", "\"dev\":\"veth1\"")))),
	 "tenants[0].endpoints[0]: \"host\" is missing", NULL},
	{FILE_WITH(RED(ENDPOINTS(EP("a", "01", "\"host\":\"h3\"")))),
	 "tenants[0].endpoints[0].host: ", "h3"},
	{FILE_WITH(RED(ENDPOINTS(EP("a", "01", "\"host\":\"h1\",\"to_host\":\"h3\"")))),
	 "tenants[0].endpoints[0].to_host: ", "h3"},
	{FILE_WITH(RED(ENDPOINTS(EP("a", "01", "\"host\":\"h1\",\"to_host\":\"h1\"")))),
	 "tenants[0].endpoints[0]: it lives at ", "h1"},
	{FILE_WITH(RED(ENDPOINTS(EP("a", "01", "\"host\":\"h1\",\"to_dev\":\"veth2\"")))),
	 "tenants[0].endpoints[0]: to_dev is a device of to_host", NULL},
	{FILE_WITH(RED(ENDPOINTS(A "," EP("b", "02", MOVES("veth1"))))),
	 "tenants[0].endpoints[1].dev: ", "veth1"},
	{FILE_WITH(RED(ENDPOINTS(A "," EP("b", "02", "\"host\":\"h1\",\"ip\":[\"10.0.0.2/24\"]")))),
	 "tenants[0].endpoints[1].ip[0]: ", "10.0.0.2/24"},
	{FILE_WITH(RED(ENDPOINTS(EP("a", "01", "\"host\":\"h1\",\"dev\":\"\"")))),
	 "tenants[0].endpoints[0].dev: ", ""},
	{FILE_WITH(RED(ENDPOINTS(EP("a", "01", "\"host\":\"h1\",\"burst\":9000")))),
	 "tenants[0].endpoints[0]: burst 9000", NULL},
	{FILE_WITH(RED(ENDPOINTS(EP("a", "01", "\"host\":\"h1\",\"ip\":[\"auto\"]")))),
	 "tenants[0].endpoints[0].ip[0]: ", "auto"},
	{FILE_WITH(RED(",\"net\":\"10.0.0.0/24\"")), "tenants[0].net: ", "10.0.0.0/24"},
	{FILE_WITH(RED(",\"net\":[\"none\"]")), "tenants[0].net[0]: ", "none"},
	{FILE_WITH(RED(",\"net\":[\"10.0.0.1/24\"]")), "tenants[0].net[0]: ", "10.0.0.1/24"},
	{FILE_WITH(RED(",\"net\":[\"10.0.0.0/24\",\"10.0.0.128/25\"]")),
	 "tenants[0].net[1]: ", "10.0.0.128/25"},
	{FILE_WITH(RED(",\"gateway\":{\"ip\":[]}")), "tenants[0].gateway.ip: ", NULL},
	{FILE_WITH(RED(GATEWAY("10.0.0.0/24"))), "tenants[0].gateway.ip[0]: ", "10.0.0.0/24"},
	{FILE_WITH(RED(GATEWAY("10.0.0.1"))), "tenants[0].gateway.ip[0]: ", "10.0.0.1"},
	{FILE_WITH(RED(",\"gateway\":{\"ip\":[\"10.0.0.1/24\"],\"host\":\"none\"}")),
	 "tenants[0].gateway.host: ", "none"},
	{FILE_WITH(RED(",\"gateway\":{\"ip\":[\"10.0.0.1/24\"],\"nat\":false,"
		       "\"snat\":[\"192.0.2.9\"]}")),
	 "tenants[0].gateway: without nat", NULL},
	{FILE_WITH(RED(",\"gateway\":{\"ip\":[\"10.0.0.1/24\"],\"resolver\":[\"10.0.0.9\"]}")),
	 "tenants[0].gateway: resolver 10.0.0.9 is in the tenant's own network", NULL},
	{FILE_WITH(RED(",\"gateway\":{\"ip\":[\"10.0.0.1/24\"],\"resolver\":[\"fd01::9\"]}")),
	 "tenants[0].gateway: resolver fd01::9 cannot be asked", NULL},
	{FILE_WITH(RED(",\"gateway\":{\"ip\":[\"10.0.0.1/24\"],\"resolver\":\"192.0.2.9\"}")),
	 "tenants[0].gateway.resolver: ", "192.0.2.9"},
	{FILE_WITH(RED(PUBLISH("{\"proto\":\"icmp\",\"port\":1,\"to\":\"10.0.0.1:1\"}"))),
	 "tenants[0].publish[0].proto: ", "icmp"},
	{FILE_WITH(RED(PUBLISH("{\"proto\":\"tcp\",\"port\":1,\"to\":\"10.0.0.1\"}"))),
	 "tenants[0].publish[0].to: ", "10.0.0.1"},
	{"{\"format\":1," HOSTS ",\"peers\":[{\"tenant\":\"red\",\"with\":\"blue\"}]}",
	 "peers[0].tenant: ", "red"},
};

static const struct bad wholes[] = {
	{"{\"format\":1,\"hosts\":[{\"name\":\"h1\",\"ip\":[\"192.0.2.1\"]},"
	 "{\"name\":\"h1\",\"ip\":[\"192.0.2.2\"]}]}",
	 "hosts[1].name: ", "h1"},
	{"{\"format\":1,\"hosts\":[{\"name\":\"h2\",\"ip\":[\"192.0.2.1\"]},"
	 "{\"name\":\"h1\",\"ip\":[\"fd00::1\",\"192.0.2.1\"]}]}",
	 "hosts[1].ip: ", "192.0.2.1"},
	{"{\"format\":1,\"hosts\":[" KEYED("h1", "192.0.2.1", "\"" KEY "\"") "," KEYED(
		 "h2", "192.0.2.2", "\"" KEY "\"") "]}",
	 "hosts[1].key: ", KEY},
	{FILE_WITH(RED("") ",{\"name\":\"red\",\"id\":7}"), "tenants[1].name: ", "red"},
	{FILE_WITH(RED("") ",{\"name\":\"a\",\"id\":100}"), "tenants[1].id: 100 is used by", NULL},
	{FILE_WITH(RED(ENDPOINTS(A "," EP("a", "02", "\"host\":\"h2\"")))),
	 "tenants[0].endpoints[1].name: ", "a"},
	{FILE_WITH(BLUE("") "," RED(ENDPOINTS(A "," EP("b", "01", "\"host\":\"h2\"")))),
	 "tenants[1].endpoints[1].mac: ", "02:00:00:00:00:01"},
	{FILE_WITH(RED(ENDPOINTS(A "," EP("b", "02", "\"host\":\"h2\",\"ip\":[\"10.0.0.1\"]")))),
	 "tenants[0].endpoints[1].ip: ", "10.0.0.1"},
	{FILE_WITH(RED(
		 ENDPOINTS(EP("b", "02", "\"host\":\"h2\",\"ip\":[\"10.0.0.1\",\"10.0.0.1\"]")))),
	 "tenants[0].endpoints[0].ip[1]: ", "10.0.0.1"},
	{FILE_WITH(RED(ENDPOINTS(A)) "," BLUE(ENDPOINTS(A))),
	 "tenants[1].endpoints[0].dev: ", "veth1"},
	{"{\"format\":1,\"switch\":{\"dev\":[\"veth1\"]}," HOSTS
	 ",\"tenants\":[" RED(ENDPOINTS(A)) "]}",
	 "tenants[0].endpoints[0].dev: ", "veth1"},
	{FILE_WITH(RED(GATEWAY("10.0.0.1/24") ENDPOINTS(A))),
	 "tenants[0].endpoints[0].ip: ", "10.0.0.1"},
	{FILE_WITH(
		 RED(ENDPOINTS(A) PUBLISH("{\"proto\":\"tcp\",\"port\":1,\"to\":\"10.0.0.1:1\"}"))),
	 "tenants[0].publish[0]: the tenant has no gateway", NULL},
	{FILE_WITH(RED(GATEWAY("10.0.0.9/24") ENDPOINTS(A)
			       PUBLISH("{\"proto\":\"tcp\",\"port\":1,\"to\":\"10.0.0.9:1\"}"))),
	 "tenants[0].publish[0]: this is the gateway's own", "10.0.0.9"},
	{FILE_WITH(RED(GATEWAY("10.0.0.9/24") ENDPOINTS(A)
			       PUBLISH("{\"proto\":\"tcp\",\"port\":1,\"to\":\"10.0.0.1:1\"},"
				       "{\"proto\":\"tcp\",\"port\":1,\"to\":\"10.0.0.1:2\","
				       "\"host\":\"h2\"}"))),
	 "tenants[0].publish[1].port: tcp port 1", NULL},
	{FILE_WITH(BLUE(GATEWAY("10.0.0.9/24") PUBLISH(PORT1("10.0.0.1:1", "h1") "," PORT1(
		 "10.0.0.1:2", "h2"))) "," RED(GATEWAY("10.0.0.9/24")
						       PUBLISH(PORT1("10.0.0.1:3", "h1")))),
	 "tenants[1].publish[0].port: tcp port 1 is published by tenants[0].publish[0]", NULL},
	{FILE_WITH(RED(GATEWAY("10.0.0.9/24") ENDPOINTS(A)
			       PUBLISH("{\"proto\":\"tcp\",\"port\":1,\"to\":\"[fd00::1]:1\"}"))),
	 "tenants[0].publish[0]: its gateway has no address of that family", NULL},
	{FILE_WITH(RED(
		 ",\"gateway\":{\"ip\":[\"10.0.0.9/24\"],\"mac\":\"02:00:00:00:00:01\"}" ENDPOINTS(
			 A))),
	 "tenants[0].endpoints[0].mac: ", "02:00:00:00:00:01"},
	{FILE_WITH(BLUE(ENDPOINTS(EP("z", "01", "\"host\":\"h1\",\"dev\":\"veth1\""))) "," RED(
		 ENDPOINTS(A))),
	 "tenants[1].endpoints[0].dev: ", "veth1"},
	{FILE_WITH(RED(ENDPOINTS(A)) "," BLUE(
		 ENDPOINTS(EP("z", "01", "\"host\":\"h1\",\"dev\":\"veth1\"")))),
	 "tenants[1].endpoints[0].dev: ", "veth1"},
	{FILE_WITH(BLUE(ROUTED("10.0.0.9/24")) "," RED(ROUTED("10.0.0.129/25"))),
	 "tenants[1].gateway.ip: ", "10.0.0.129/25"},
	{FILE_WITH(BLUE(ROUTED("10.0.0.9/24") ENDPOINTS(R("a", "10.7.0.0/16"))) "," RED(
		 ROUTED("10.1.0.9/24") ENDPOINTS(R("b", "10.7.8.0/24")))),
	 "tenants[1].endpoints[0].prefix: \"10.7.8.0/24\", without nat, overlaps", "10.7.0.0/16"},
	{FILE_WITH(BLUE(ROUTED("10.0.0.9/24")
				ENDPOINTS(R("a", "10.1.0.128/25"))) "," RED(ROUTED("10.1.0.9/24"))),
	 "tenants[1].gateway.ip: \"10.1.0.9/24\", without nat, overlaps", "10.1.0.128/25"},
	{FILE_WITH(RED(ENDPOINTS(R("b", "fd07::/64") "," R("c", "fd07::/48")))),
	 "tenants[0].endpoints[1].prefix: \"fd07::/48\" overlaps \"fd07::/64\" of "
	 "tenants[0].endpoints[0]",
	 NULL},
	{FILE_WITH(RED(GATEWAY("10.0.0.9/24") ENDPOINTS(R("c", "10.0.0.0/28")))),
	 "tenants[0].endpoints[0].prefix: \"10.0.0.0/28\" overlaps \"10.0.0.9\" of "
	 "tenants[0].gateway",
	 NULL},
	{FILE_WITH(RED(",\"net\":[\"10.0.0.0/24\"]" ENDPOINTS(R("c", "10.0.0.0/24")))),
	 "tenants[0].endpoints[0].prefix: \"10.0.0.0/24\" overlaps \"10.0.0.0/24\" of tenants[0]",
	 NULL},
	{FILE_WITH(RED(ENDPOINTS(EP("c", "03",
				    "\"host\":\"h2\",\"vip\":[\"10.7.0.1\"],"
				    "\"prefix\":[\"10.7.0.0/24\"]")))),
	 "tenants[0].endpoints[0].prefix: \"10.7.0.0/24\" overlaps \"10.7.0.1\"", NULL},
	{"{\"format\":1," HOSTS ",\"tenants\":[" RED(GATEWAY("10.0.0.1/24")) "," BLUE(
		 "") "],\"peers\":[{\"tenant\":\"red\",\"with\":\"blue\"}]}",
	 "peers[0]: a peering needs gateways", NULL},
	{"{\"format\":1," HOSTS ",\"tenants\":[" RED(GATEWAY("10.0.0.1/24")) "," BLUE(
		 GATEWAY("10.0.0.1/16")) "],\"peers\":[{\"tenant\":\"red\",\"with\":\"blue\"}]}",
	 "peers[0]: networks of both tenants overlap", NULL},
	{"{\"format\":1," HOSTS ",\"tenants\":[" RED(
		 GATEWAY("10.0.0.1/24")) "],\"peers\":[{\"tenant\":\"red\",\"with\":\"red\"}]}",
	 "peers[0]: a tenant needs no peering with itself", NULL},
	{"{\"format\":1," HOSTS
	 ",\"tenants\":[" RED(GATEWAY("10.0.0.1/24")) "," BLUE(GATEWAY("10.1.0.1/24") ENDPOINTS(
		 R("a", "10.0.0.0/28"))) "],\"peers\":[" HALF("red", "blue", "") "]}",
	 "peers[0]: networks of the tenant overlap one behind an endpoint", NULL},
	{PEERS(HALF("blue", "nobody", "")), "peers[0]: a peering needs gateways", NULL},
	{PEERS(HALF("nobody", "blue", "")), "peers[0]: a peering needs gateways", NULL},
	{PEERS(HALF("red", "blue", "") "," HALF("red", "blue", "")),
	 "peers[1]: the same peering is given as peers[0] already", NULL},
	{PEERS(HALF("red", "blue", ",\"prefix\":[\"10.0.1.0/28\"]")),
	 "peers[0].prefix[0]: ", "10.0.1.0/28"},
	{PEERS(HALF("red", "blue", ",\"prefix\":[\"10.0.0.0/23\"]")),
	 "peers[0].prefix[0]: ", "10.0.0.0/23"},
	{PEERS(HALF("third", "blue", "") "," HALF("blue", "red", "") "," HALF("red", "blue", "")),
	 "peers[2]: networks of the tenant overlap those of peers[0]", NULL},
};

static void assert_bad(const struct bad *bad)
{
	struct state s;

	if (!read_text(bad->text, &s))
		fail_msg("taken: %s", bad->text);
	assert_int_equal(failure()->status, EXIT_MISUSE);
	if (strncmp(failure()->text, bad->where, strlen(bad->where)))
		fail_msg("\"%s\" does not begin with \"%s\"", failure()->text, bad->where);
	if (bad->quote && !strstr(failure()->text, quoted(bad->quote)))
		fail_msg("\"%s\" does not quote \"%s\"", failure()->text, bad->quote);
	state_free(&s);
}

static void refuses_values(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_bad(&values[i]);
}

static void refuses_wholes(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++)
		assert_bad(&wholes[i]);
}

/* What many may have: the same MAC, address and name in another tenant, a device elsewhere. */
static void takes_what_may_be(void **state)
{
	struct state s;

	(void)state;
	if (read_text(
		    FILE_WITH(RED(GATEWAY("10.0.0.9/24") ENDPOINTS(A) PUBLISH(
			    "{\"proto\":\"tcp\",\"port\":1,\"to\":\"10.0.0.1:1\",\"host\":\"h1\"},"
			    "{\"proto\":\"tcp\",\"port\":1,\"to\":\"10.0.0.1:2\","
			    "\"host\":\"h2\"}")) "," BLUE(GATEWAY("10.0.0.9/24")
								  ENDPOINTS(EP(
									  "a", "01",
									  "\"host\":\"h2\",\"dev\":\"veth1\",\"ip\":[\"10.0.0.1\"]")))),
		    &s))
		fail_msg("%s", failure()->text);
	assert_int_equal(s.n_tenants, 2);
	assert_string_equal(s.tenant[0].spec.name.s, "blue");
	assert_int_equal(s.tenant[1].n, 1);
	assert_int_equal(s.n_publishes, 2);
	assert_int_not_equal(state_take_own(&s, "h3"), 0);
	assert_non_null(strstr(failure()->text, quoted("h3")));
	/* What is h2's own affair is not h1's. */
	assert_int_equal(state_take_own(&s, "h1"), 0);
	assert_int_equal(s.n_publishes, 1);
	assert_string_equal(s.endpoint[s.tenant[1].first].dev, "veth1");
	assert_string_equal(s.endpoint[s.tenant[0].first].dev, "");
	state_free(&s);
}

/* Networks behind endpoints, as parts of others, and again in a tenant with NAT. */
static void takes_prefixes(void **state)
{
	struct state s;

	(void)state;
	if (read_text(FILE_WITH(RED(ROUTED("10.0.0.9/24") ",\"net\":[\"10.7.0.0/16\"]" ENDPOINTS(
			      R("a", "10.7.1.0/24") "," R(
				      "b",
				      "10.0.0.64/26"))) "," BLUE(GATEWAY("10.0.0.9/24")
									 ENDPOINTS(R(
										 "a",
										 "10.7.1.0/24")))),
		      &s))
		fail_msg("%s", failure()->text);
	state_free(&s);
}

/* Of a move each host has its own device, and knows no other's. */
static void moving(void **state)
{
	static const char text[] = FILE_WITH(RED(ENDPOINTS(EP("a", "01", MOVES("veth2")))));
	static const char *const devices[] = {"veth2", "veth1"}; /* h1's, h2's */
	struct state s, known;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		const char *own = i ? "h2" : "h1";

		assert_int_equal(read_text(text, &s) || read_text(text, &known), 0);
		assert_int_equal(state_take_own(&s, own), 0);
		assert_string_equal(s.endpoint->dev, devices[i]);
		assert_string_equal(s.endpoint->to_dev, "");
		memset(s.endpoint->dev, 0, sizeof(s.endpoint->dev));
		state_know_devices(&s, &known);
		assert_string_equal(s.endpoint->dev, devices[i]);
		/* Where the file of before says a third host, it knows nothing. */
		memset(s.endpoint->dev, 0, sizeof(s.endpoint->dev));
		known.endpoint->host = known.endpoint->to = STATE_NONE;
		state_know_devices(&s, &known);
		assert_string_equal(s.endpoint->dev, "");
		state_free(&s);
		state_free(&known);
	}
}

/* Of networks that overlap, parts that do not, and those of tenants that nobody has as peers. */
static void takes_parts(void **state)
{
	static const char *const texts[] = {
		PEERS(HALF("red", "blue", ",\"prefix\":[\"10.0.0.128/25\"]") "," HALF(
			"third", "blue", "") "," HALF("blue", "red", "")),
		FILE_WITH(RED(ROUTED("10.0.0.9/24")) "," BLUE(ROUTED("10.0.1.9/24"))),
		FILE_WITH(RED(ROUTED("10.0.0.9/24")) "," BLUE(GATEWAY("10.0.0.9/24"))),
	};
	struct state s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (read_text(texts[i], &s))
			fail_msg("%s: %s", failure()->text, texts[i]);
		state_free(&s);
	}
}

/* What holds for all hosts, and what one has for itself. */
/* Tenants may stand in any order: what each has stays its own. */
static void tenants_in_any_order(void **state)
{
	struct state s;

	(void)state;
	assert_int_equal(
		read_text("{\"format\":1,\"hosts\":[{\"name\":\"h1\",\"ip\":[\"192.0.2.1\"]}],"
			  "\"tenants\":[{\"name\":\"red\",\"id\":2,\"groups\":[\"web\"],"
			  "\"policies\":[{\"name\":\"p\",\"from\":\"group:web\",\"to\":\"any\"}],"
			  "\"endpoints\":[{\"name\":\"a\",\"mac\":\"02:00:00:00:00:01\","
			  "\"host\":\"h1\",\"dev\":\"d\",\"group\":[\"web\"]}]},"
			  "{\"name\":\"blue\",\"id\":1}]}",
			  &s),
		0);
	assert_string_equal(s.tenant[s.group[0].tenant].spec.name.s, "red");
	assert_string_equal(s.tenant[s.policy[0].tenant].spec.name.s, "red");
	assert_string_equal(s.tenant[s.endpoint[0].tenant].spec.name.s, "red");
	assert_int_equal(state_check(&s), 0);
	state_free(&s);
}

static void switch_of_each_host(void **state)
{
	struct state s;
	json_t *up;
	char *text;

	(void)state;
	if (read_text("{\"format\":1,\"switch\":{\"dev\":[\"eth0\",\"eth1\"],\"port\":7},\"hosts\":["
		      "{\"name\":\"h1\",\"ip\":[\"fd00::1\",\"10.0.0.1\"],"
		      "\"switch\":{\"dev\":[\"bond0\"],\"xdp\":\"off\"}},"
		      "{\"name\":\"h2\",\"ip\":[\"10.0.0.2\"]}]}",
		      &s))
		fail_msg("%s", failure()->text);
	up = state_switch_json(&s.host[0].up);
	text = json_dumps(up, JSON_COMPACT | JSON_SORT_KEYS);
	assert_string_equal(text, "{\"dev\":[\"bond0\"],\"port\":7,\"xdp\":\"off\"}");
	free(text);
	json_decref(up);
	assert_int_equal(s.host[0].spec.ip.preferred, TSW_IPV6);
	assert_int_equal(s.host[1].up.dev.n, 2);
	state_free(&s);
}

/* Keys are found by all of their octets, and what is not there is not. */
static void lookups(void **state)
{
	__u32 keys[3000], i;
	struct lookup l;

	(void)state;
	for (i = 0; i < 3000; i++)
		keys[i] = i * 7919;
	assert_int_equal(lookup_make(&l, keys, 3000, sizeof(*keys), sizeof(*keys)), 0);
	for (i = 0; i < 3000; i++)
		assert_int_equal(lookup_find(&l, &keys[i]), i);
	i = 5;
	assert_true(lookup_find(&l, &i) == LOOKUP_NONE);
	lookup_free(&l);
	assert_int_equal(lookup_make(&l, NULL, 0, sizeof(i), sizeof(i)), 0);
	assert_true(lookup_find(&l, &i) == LOOKUP_NONE);
	lookup_free(&l);
}

/*
 * Keys that a tenant chose to differ only in their highest bits do not meet in one slot, and no two
 * hashes place the same keys alike.
 */
static void chosen_keys(void **state)
{
	enum { N = 4096, MOST = 64 };
	static __u64 keys[N];
	struct lookup l, other;
	size_t i, run = 0, longest = 0;

	(void)state;
	for (i = 0; i < N; i++)
		keys[i] = (__u64)i << 52;
	assert_int_equal(lookup_make(&l, keys, N, sizeof(*keys), sizeof(*keys)), 0);
	for (i = 0; i <= l.mask; i++) {
		run = l.slot[i] ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	assert_in_range(longest, 1, MOST);
	assert_int_equal(lookup_make(&other, keys, N, sizeof(*keys), sizeof(*keys)), 0);
	assert_memory_not_equal(l.slot, other.slot, (l.mask + 1) * sizeof(*l.slot));
	lookup_free(&l);
	lookup_free(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_values),	cmocka_unit_test(refuses_wholes),
		cmocka_unit_test(takes_what_may_be),	cmocka_unit_test(takes_prefixes),
		cmocka_unit_test(tenants_in_any_order), cmocka_unit_test(switch_of_each_host),
		cmocka_unit_test(takes_parts),		cmocka_unit_test(lookups),
		cmocka_unit_test(chosen_keys),		cmocka_unit_test(moving),
	};

	return cmocka_run_group_tests_name("files of apply", tests, NULL, NULL);
}
