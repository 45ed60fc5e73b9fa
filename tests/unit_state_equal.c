// SPDX-License-Identifier: GPL-2.0-only
/* What is the same in two states: where one thing alone differs that one is set, or made again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "state_step.h"

#define OWN(rest) \
	STATE("{\"name\":\"h1\",\"ip\":[\"192.0.2.1\"],\"switch\":{\"dev\":[\"v1\"]" rest "}}", "")
#define BOTH HOST("h1", "\"192.0.2.1\",\"fd00::1\"")
#define RED(rest) TWO(TENANT("red", 1, rest))
#define ONE(rest) RED(EPS("{\"name\":\"a\",\"mac\":\"02:00:00:00:00:01\",\"host\":\"h2\"" rest "}"))
#define HERE(dev) ",\"to_host\":\"h1\",\"to_dev\":\"" dev "\""
#define AWAY(rest) RED(EPS(EP("a", "01", "", DEV("v1") rest)))
#define IP "\"ip\":[\"10.0.0.9/24\",\"fd00::9/64\"]"
#define ROUTER(rest) RED(GW(IP rest))
#define PUBLISHED(list) RED(GW(IP) ",\"publish\":[" list "]")
#define TCP(port, to) "{\"proto\":\"tcp\",\"port\":" port ",\"to\":\"" to "\"}"
#define HALF(rest)                                                         \
	PEERS(TENANT("red", 1, GW("\"ip\":[\"10.0.0.9/24\"]")) "," TENANT( \
		      "blue", 2, GW("\"ip\":[\"10.1.0.9/24\"]")),          \
	      PEER("red", "blue", rest))

#define KEY "//////////////////////////////////////////8="

static const struct step hosts[] = {
	{"the family that others send to first",
	 STATE(BOTH "," HOST("h2", "\"192.0.2.2\",\"fd00::2\""), ""),
	 STATE(BOTH "," HOST("h2", "\"fd00::2\",\"192.0.2.2\""), ""), "set host h2", NULL},
	{"an address of one family", STATE(BOTH "," HOST("h2", "\"192.0.2.2\",\"fd00::2\""), ""),
	 STATE(BOTH "," HOST("h2", "\"192.0.2.2\",\"fd00::3\""), ""), "set host h2", NULL},
	{"xdp", OWN(",\"xdp\":\"off\""), OWN(",\"xdp\":\"generic\""), "set switch h1", NULL},
	{"port", OWN(",\"port\":4789"), OWN(",\"port\":8472"), "set switch h1", NULL},
	{"attach", OWN(",\"attach\":\"tcx\""), OWN(",\"attach\":\"clsact\""), "set switch h1",
	 NULL},
	{"which of both ways to attach is left to the kernel", OWN(",\"attach\":\"tcx\""),
	 OWN(",\"attach\":\"auto\""), "", "set switch h1"},
	{"room for endpoints", OWN(",\"max_endpoints\":10"), OWN(",\"max_endpoints\":11"),
	 "set switch h1", NULL},
	{"room for tenants", OWN(",\"max_tenants\":10"), OWN(",\"max_tenants\":11"),
	 "set switch h1", NULL},
	{"key", STATE(BOTH "," HOST("h2", "\"192.0.2.2\""), ""),
	 STATE(BOTH ",{\"name\":\"h2\",\"ip\":[\"192.0.2.2\"],\"key\":[\"" KEY "\"]}", ""),
	 "set host h2", NULL},
	{"this host's own key, which a file only tells to others", OWN(""),
	 STATE("{\"name\":\"h1\",\"ip\":[\"192.0.2.1\"],\"key\":[\"" KEY
	       "\"],\"switch\":{\"dev\":[\"v1\"]}}",
	       ""),
	 "", NULL},
	{"encrypt", OWN(",\"encrypt\":\"off\""), OWN(",\"encrypt\":\"wireguard\""), "set switch h1",
	 NULL},
	{"encrypt, mixed", OWN(",\"encrypt\":\"wireguard\""),
	 OWN(",\"encrypt\":\"wireguard,mixed\""), "set switch h1", NULL},
	{"a file that does not say it leaves it", OWN(",\"encrypt\":\"wireguard\""), OWN(""), "",
	 "set switch h1"},
	{"wg_port", OWN(",\"wg_port\":51820"), OWN(",\"wg_port\":51830"), "set switch h1", NULL},
	{"devices", OWN(""),
	 STATE("{\"name\":\"h1\",\"ip\":[\"192.0.2.1\"],\"switch\":{\"dev\":[\"v2\"]}}", ""),
	 "set switch h1", NULL},
};

static const struct step tenants[] = {
	{"encapsulation", RED(""), RED(",\"encap\":\"gre\""), "set tenant red", NULL},
	{"encapsulation: Geneve", RED(""), RED(",\"encap\":\"geneve\""), "set tenant red", NULL},
	{"mtu", RED(""), RED(",\"mtu\":1400"), "set tenant red", NULL},
	{"broadcast", RED(""), RED(",\"broadcast\":false"), "set tenant red", NULL},
	{"rate out", RED(",\"rate_out\":5000"), RED(",\"rate_out\":6000"), "set tenant red", NULL},
	{"rate in", RED(",\"rate_in\":5000"), RED(",\"rate_in\":6000"), "set tenant red", NULL},
	{"burst", RED(",\"rate_in\":5000,\"burst\":9000"), RED(",\"rate_in\":5000,\"burst\":9001"),
	 "set tenant red", NULL},
};

static const struct step endpoints[] = {
	{"rate out", ONE(",\"rate_out\":5000"), ONE(",\"rate_out\":6000"), "set endpoint red/a",
	 NULL},
	{"an address", ONE(",\"ip\":[\"10.0.0.1\"]"), ONE(",\"ip\":[\"10.0.0.2\"]"),
	 "set endpoint red/a", NULL},
	{"an address more", ONE(",\"ip\":[\"10.0.0.1\"]"),
	 ONE(",\"ip\":[\"10.0.0.1\",\"10.0.0.2\"]"), "set endpoint red/a", NULL},
	{"whether there are any", ONE(""), ONE(",\"ip\":[\"10.0.0.1\"]"), "set endpoint red/a",
	 NULL},
	{"that it moves here", ONE(""), ONE(HERE("v1")), "set endpoint red/a", NULL},
	{"to which device", ONE(HERE("v1")), ONE(HERE("v2")), "set endpoint red/a", NULL},
	{"another host's device is not looked at", ONE(",\"dev\":\"v1\"" HERE("v1")),
	 ONE(",\"dev\":\"v2\"" HERE("v1")), "", NULL},
	{"that it has come", ONE(HERE("v1")), RED(EPS(EP("a", "01", "", DEV("v1")))),
	 "set endpoint red/a", NULL},
	{"where it moves to from here", AWAY(""), AWAY(",\"to_host\":\"h2\",\"to_dev\":\"v1\""),
	 "set endpoint red/a", NULL},
	{"the device there is not looked at", AWAY(",\"to_host\":\"h2\",\"to_dev\":\"v1\""),
	 AWAY(",\"to_host\":\"h2\",\"to_dev\":\"v2\""), "", NULL},
};

static const struct step gateways[] = {
	{"MAC", ROUTER(""), ROUTER(",\"mac\":\"02:00:00:00:00:77\""), "set gateway red", NULL},
	{"nat", ROUTER(""), ROUTER(",\"nat\":false"), "set gateway red", NULL},
	{"what it leaves as", ROUTER(",\"snat\":[\"203.0.113.1\"]"),
	 ROUTER(",\"snat\":[\"203.0.113.2\"]"), "set gateway red", NULL},
	{"who is asked for names", ROUTER(",\"resolver\":[\"203.0.113.1\"]"),
	 ROUTER(",\"resolver\":[\"203.0.113.2\"]"), "set gateway red", NULL},
	{"nobody any more", ROUTER(",\"resolver\":[\"203.0.113.1\"]"), ROUTER(""),
	 "set gateway red", NULL},
	{"who serves it", ROUTER(",\"host\":\"h1\""), ROUTER(",\"host\":\"h2\""), "set gateway red",
	 NULL},
	{"length of a prefix", RED(GW("\"ip\":[\"10.0.0.9/24\"]")),
	 RED(GW("\"ip\":[\"10.0.0.9/25\"]")), "set gateway red", NULL},
};

static const struct step publishes[] = {
	{"the address behind it", PUBLISHED(TCP("80", "10.0.0.1:80")),
	 PUBLISHED(TCP("80", "10.0.0.2:80")), "del publish red/tcp/80; add publish red/tcp/80",
	 NULL},
	{"the port behind it", PUBLISHED(TCP("80", "10.0.0.1:80")),
	 PUBLISHED(TCP("80", "10.0.0.1:81")), "del publish red/tcp/80; add publish red/tcp/80",
	 NULL},
	{"one for each family: the other one stays",
	 PUBLISHED(TCP("80", "10.0.0.1:80") "," TCP("80", "[fd00::1]:80")),
	 PUBLISHED(TCP("80", "10.0.0.1:80")), "del publish red/tcp/80/ipv6",
	 "add publish red/tcp/80/ipv6"},
	{"the other one goes", PUBLISHED(TCP("80", "10.0.0.1:80") "," TCP("80", "[fd00::1]:80")),
	 PUBLISHED(TCP("80", "[fd00::1]:80")), "del publish red/tcp/80", "add publish red/tcp/80"},
	{"for the other family instead", PUBLISHED(TCP("80", "10.0.0.1:80")),
	 PUBLISHED(TCP("80", "[fd00::1]:80")),
	 "del publish red/tcp/80; add publish red/tcp/80/ipv6",
	 "del publish red/tcp/80/ipv6; add publish red/tcp/80"},
};

static const struct step peers[] = {
	{"port", HALF(",\"proto\":\"tcp\",\"port\":80"), HALF(",\"proto\":\"tcp\",\"port\":81"),
	 "del peer red/blue; add peer red/blue", NULL},
	{"protocol", HALF(",\"proto\":\"tcp\",\"port\":80"), HALF(",\"proto\":\"udp\",\"port\":80"),
	 "del peer red/blue; add peer red/blue", NULL},
	{"which network", HALF(",\"prefix\":[\"10.0.0.0/28\"]"),
	 HALF(",\"prefix\":[\"10.0.0.16/28\"]"), "del peer red/blue; add peer red/blue", NULL},
	{"one network more", HALF(",\"prefix\":[\"10.0.0.0/28\"]"),
	 HALF(",\"prefix\":[\"10.0.0.0/28\",\"10.0.0.16/28\"]"),
	 "del peer red/blue; add peer red/blue", NULL},
};

static void of_hosts(void **state)
{
	(void)state;
	STEP_ALL(hosts);
}

static void of_tenants(void **state)
{
	(void)state;
	STEP_ALL(tenants);
}

static void of_endpoints(void **state)
{
	(void)state;
	STEP_ALL(endpoints);
}

static void of_gateways(void **state)
{
	(void)state;
	STEP_ALL(gateways);
}

static void of_publishes(void **state)
{
	(void)state;
	STEP_ALL(publishes);
}

static void of_peers(void **state)
{
	(void)state;
	STEP_ALL(peers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_hosts),	cmocka_unit_test(of_tenants),
		cmocka_unit_test(of_endpoints), cmocka_unit_test(of_gateways),
		cmocka_unit_test(of_publishes), cmocka_unit_test(of_peers),
	};

	return cmocka_run_group_tests_name("what differs", tests, NULL, NULL);
}
