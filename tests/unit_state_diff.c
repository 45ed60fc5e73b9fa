// SPDX-License-Identifier: GPL-2.0-only
/* In which order one state becomes the other: every way in which things can swap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "state/run.h"
#include "state_step.h"

/* Tenants red, whose id is 1, and blue, whose id is 2. */
#define RED(rest) TENANT("red", 1, rest)
#define BOTH(red, blue) RED(red) "," TENANT("blue", 2, blue)
/* Their endpoints: a alone, or b and c too. */
#define A(at) EPS(EP("a", "01", "", at))
#define A_IP(ip, at) EPS(EP("a", "01", "\"" ip "\"", at))
#define AB(a, b) EPS(EP("a", "01", "", a) "," EP("b", "02", "", b))
#define ABC(a, b, c) EPS(EP("a", "01", "", a) "," EP("b", "02", "", b) "," EP("c", "03", "", c))
/* Their gateways: one that translates, on all hosts or on one; one that routes. */
#define NET(ip) GW("\"ip\":[\"" ip "/24\"]")
#define NET_BY(ip, host) GW("\"ip\":[\"" ip "/24\"]," ON(host))
#define ROUTED(ip) GW("\"ip\":[\"" ip "/24\"],\"nat\":false")
#define EACH_OTHER PEER("red", "blue", "") "," PEER("blue", "red", "")
#define PEERED(red, blue) PEERS(BOTH(NET(red), NET(blue)), EACH_OTHER)
/* Three hosts, of which the last two swap their addresses. */
#define MOVES(host) ",\"to_host\":\"" host "\""
#define COMES(dev) ON("h2") MOVES("h1") ",\"to_dev\":\"" dev "\""
#define THREE H1 "," H2 "," H3
#define SWAPPED H1 "," HOST("h2", "\"192.0.2.3\"") "," HOST("h3", "\"192.0.2.2\"")

static const struct step tenants[] = {
	{"a tenant comes, with all that it has", TWO(""),
	 PEERS(BOTH(NET("10.0.0.9") A_IP("10.0.0.1", DEV("v1")) PUBLISH(80, "10.0.0.1:80"),
		    NET("10.1.0.9")),
	       PEER("red", "blue", "")),
	 "add tenant blue; add tenant red; add endpoint red/a; add gateway blue; add gateway red; "
	 "add publish red/tcp/80; add peer red/blue",
	 "del peer red/blue; del publish red/tcp/80; del gateway blue; del gateway red; "
	 "del endpoint red/a; del tenant blue; del tenant red"},
	{"what only one tenant is changed in", TWO(RED(A(ON("h2")))),
	 TWO(RED(",\"broadcast\":false" A(ON("h2")))), "set tenant red", NULL},
	{"a tenant's subnets alone, which are no other tenant's affair", TWO(BOTH(A(ON("h2")), "")),
	 TWO(BOTH(",\"net\":[\"10.0.0.0/24\",\"fd00::/64\"]" A(ON("h2")),
		  ",\"net\":[\"10.0.0.0/24\"]")),
	 "set tenant blue; set tenant red", NULL},
	{"two tenants swap their ids: with all that they have",
	 TWO(BOTH(A(DEV("v1")), A(DEV("v2")))),
	 TWO(TENANT("red", 2, A(DEV("v1"))) "," TENANT("blue", 1, A(DEV("v2")))),
	 "del endpoint blue/a; del endpoint red/a; del tenant blue; del tenant red; "
	 "add tenant blue; add tenant red; add endpoint blue/a; add endpoint red/a",
	 NULL},
	{"two tenants swap their names", TWO(BOTH(A(DEV("v1")), A(DEV("v2")))),
	 TWO(TENANT("blue", 1, A(DEV("v1"))) "," TENANT("red", 2, A(DEV("v2")))),
	 "del endpoint blue/a; del endpoint red/a; del tenant blue; del tenant red; "
	 "add tenant blue; add tenant red; add endpoint blue/a; add endpoint red/a",
	 NULL},
	{"a peering with a tenant of another id", PEERED("10.0.0.9", "10.1.0.9"),
	 PEERS(RED(NET("10.0.0.9")) "," TENANT("blue", 3, NET("10.1.0.9")), EACH_OTHER),
	 /* The MAC that a gateway has by itself is made of the id. */
	 "del peer blue/red; del peer red/blue; del gateway blue; del tenant blue; add tenant blue; "
	 "add gateway blue; add peer blue/red; add peer red/blue",
	 NULL},
	{"wider frames come last, narrower ones first", TWO(RED(",\"mtu\":1400" A(ON("h2")))),
	 TWO(RED(",\"mtu\":1300" EPS(EP("a", "02", "", ON("h2"))))),
	 "set tenant red; set endpoint red/a", "set endpoint red/a; set tenant red"},
	{"another encapsulation may be the wider one", TWO(RED(",\"encap\":\"gre\"" A(ON("h2")))),
	 TWO(RED(",\"encap\":\"vxlan\"" EPS(EP("a", "02", "", ON("h2"))))),
	 "set endpoint red/a; set tenant red", NULL},
	{"all goes, and comes again", TWO(RED(NET("10.0.0.9") A(ON("h2")))), STATE(H1, ""),
	 "del gateway red; del endpoint red/a; del tenant red; del host h2",
	 "add host h2; add tenant red; add endpoint red/a; add gateway red"},
};

static const struct step endpoints[] = {
	{"two endpoints swap their devices", TWO(RED(AB(DEV("v1"), DEV("v2")))),
	 TWO(RED(AB(DEV("v2"), DEV("v1")))),
	 "del endpoint red/a; del endpoint red/b; add endpoint red/a; add endpoint red/b", NULL},
	{"two endpoints of two tenants do", TWO(BOTH(A(DEV("v1")), A(DEV("v2")))),
	 TWO(BOTH(A(DEV("v2")), A(DEV("v1")))),
	 "del endpoint blue/a; del endpoint red/a; add endpoint blue/a; add endpoint red/a", NULL},
	{"a device goes to another tenant, whose endpoint is new", TWO(BOTH(A(DEV("v1")), "")),
	 TWO(BOTH("", A(DEV("v1")))), "del endpoint red/a; add endpoint blue/a",
	 "del endpoint blue/a; add endpoint red/a"},
	{"a device goes to another tenant, whose endpoint leaves its own",
	 TWO(BOTH(A(DEV("v1")), A(DEV("v2")))), TWO(BOTH(A(DEV("v3")), A(DEV("v1")))),
	 "set endpoint red/a; set endpoint blue/a", "set endpoint blue/a; set endpoint red/a"},
	{"three go round", TWO(RED(ABC(DEV("v1"), DEV("v2"), DEV("v3")))),
	 TWO(RED(ABC(DEV("v2"), DEV("v3"), DEV("v1")))),
	 "del endpoint red/a; del endpoint red/b; del endpoint red/c; "
	 "add endpoint red/a; add endpoint red/b; add endpoint red/c",
	 NULL},
	{"two swap their MACs", TWO(RED(AB(ON("h2"), ON("h2")))),
	 TWO(RED(EPS(EP("a", "02", "", ON("h2")) "," EP("b", "01", "", ON("h2"))))),
	 "del endpoint red/a; del endpoint red/b; add endpoint red/a; add endpoint red/b", NULL},
	{"two swap their addresses",
	 TWO(RED(EPS(EP("a", "01", "\"10.0.0.1\"", ON("h2")) "," EP("b", "02", "\"10.0.0.2\"",
								    DEV("v1"))))),
	 TWO(RED(EPS(EP("a", "01", "\"10.0.0.2\"", ON("h2")) "," EP("b", "02", "\"10.0.0.1\"",
								    DEV("v1"))))),
	 "del endpoint red/a; del endpoint red/b; add endpoint red/a; add endpoint red/b", NULL},
	{"an address goes from one to another, who both stay",
	 TWO(RED(EPS(EP("a", "01", "\"10.0.0.1\"",
			DEV("v1")) "," EP("b", "02", "\"10.0.0.2\",\"10.0.0.9\"", DEV("v2"))))),
	 TWO(RED(EPS(EP("a", "01", "\"10.0.0.1\",\"10.0.0.9\"",
			DEV("v1")) "," EP("b", "02", "\"10.0.0.2\"", DEV("v2"))))),
	 "set endpoint red/b; set endpoint red/a", "set endpoint red/a; set endpoint red/b"},
	{"the same address in two tenants is not the same",
	 TWO(BOTH(A_IP("10.0.0.1", DEV("v1")), EPS(EP("a", "02", "\"10.0.0.2\"", DEV("v2"))))),
	 TWO(BOTH(A_IP("10.0.0.2", DEV("v1")), EPS(EP("a", "02", "\"10.0.0.1\"", DEV("v2"))))),
	 "set endpoint blue/a; set endpoint red/a", NULL},
	{"one is named anew", TWO(RED(A_IP("10.0.0.1", DEV("v1")))),
	 TWO(RED(EPS(EP("b", "01", "\"10.0.0.1\"", DEV("v1"))))),
	 "del endpoint red/a; add endpoint red/b", "del endpoint red/b; add endpoint red/a"},
	{"one moves to another host and leaves its device to another",
	 TWO(RED(AB(DEV("v1"), ON("h2")))), TWO(RED(AB(ON("h2"), DEV("v1")))),
	 "set endpoint red/a; set endpoint red/b", "set endpoint red/b; set endpoint red/a"},
	{"it moves so to a host that is new", STATE(H1, RED(A(DEV("v1")))),
	 TWO(RED(AB(ON("h2"), DEV("v1")))),
	 "del endpoint red/a; add host h2; add endpoint red/a; add endpoint red/b",
	 "del endpoint red/b; set endpoint red/a; del host h2"},
	{"it moves so to a host that is away for a moment",
	 STATE(THREE, RED(AB(DEV("v1"), DEV("v2")))), STATE(SWAPPED, RED(AB(ON("h2"), DEV("v1")))),
	 "del endpoint red/a; del host h2; del host h3; add host h2; add host h3; "
	 "set endpoint red/b; add endpoint red/a",
	 "del endpoint red/a; del host h2; del host h3; set endpoint red/b; add host h2; "
	 "add host h3; add endpoint red/a"},
	{"a device that is not there, or whose name is not known", TWO(RED(A(DEV("v1")))),
	 TWO(RED(A(DEV("v2")))), "set endpoint red/a", NULL},
	{"a device goes to the underlay",
	 "{\"format\":1,\"hosts\":[{\"name\":\"h1\",\"ip\":[\"192.0.2.1\"],"
	 "\"switch\":{\"dev\":[\"v1\"]}}],\"tenants\":[" RED(A(DEV("v2"))) "]}",
	 "{\"format\":1,\"hosts\":[{\"name\":\"h1\",\"ip\":[\"192.0.2.1\"],"
	 "\"switch\":{\"dev\":[\"v2\"]}}],\"tenants\":[" RED(A(DEV("v3"))) "]}",
	 "set endpoint red/a; set switch h1", "set switch h1; set endpoint red/a"},
};

static const struct step hosts[] = {
	{"two hosts swap their addresses: with all that lives there",
	 STATE(THREE, RED(AB(ON("h2"), DEV("v1")))), STATE(SWAPPED, RED(AB(ON("h2"), DEV("v1")))),
	 "del endpoint red/a; del host h2; del host h3; add host h2; add host h3; "
	 "add endpoint red/a",
	 NULL},
	{"a host that an endpoint moves to", STATE(H1 "," H2, RED(A(DEV("v1")))),
	 STATE(THREE, RED(A(DEV("v1") MOVES("h3")))), "add host h3; set endpoint red/a",
	 "set endpoint red/a; del host h3"},
	{"hosts swap their addresses, and an endpoint moves to one of them",
	 STATE(THREE, RED(A(DEV("v1") MOVES("h2")))), STATE(SWAPPED, RED(A(DEV("v1") MOVES("h2")))),
	 "del endpoint red/a; del host h2; del host h3; add host h2; add host h3; "
	 "add endpoint red/a",
	 NULL},
	{"two endpoints swap devices, of which one is where the other moves to",
	 TWO(RED(AB(DEV("v1"), COMES("v2")))), TWO(RED(AB(DEV("v2"), COMES("v1")))),
	 "del endpoint red/a; del endpoint red/b; add endpoint red/a; add endpoint red/b", NULL},
	{"a host gives its address to another and has a new one", STATE(THREE, RED(A(ON("h2")))),
	 STATE(H1 "," HOST("h2", "\"192.0.2.4\"") "," HOST("h3", "\"192.0.2.2\""),
	       RED(A(ON("h2")))),
	 "set host h2; set host h3", "set host h3; set host h2"},
	{"a host is named anew", TWO(RED(A(ON("h2")))),
	 STATE(H1 "," HOST("h3", "\"192.0.2.2\""), RED(A(ON("h3")))),
	 "del endpoint red/a; del host h2; add host h3; add endpoint red/a",
	 "del endpoint red/a; del host h3; add host h2; add endpoint red/a"},
	{"a host goes, and who lived there moves without a break", TWO(RED(A(ON("h2")))),
	 STATE(H1 "," H3, RED(A(ON("h3")))), "add host h3; set endpoint red/a; del host h2",
	 "add host h2; set endpoint red/a; del host h3"},
	{"a host goes, and the gateway that it served moves without a break",
	 TWO(RED(NET_BY("10.0.0.9", "h2"))), STATE(H1 "," H3, RED(NET_BY("10.0.0.9", "h3"))),
	 "add host h3; set gateway red; del host h2", "add host h2; set gateway red; del host h3"},
	{"frames are wider once it is gone", TWO(RED(",\"mtu\":1300" A(ON("h2")))),
	 STATE(H1 "," H3, RED(",\"mtu\":1400" A(ON("h3")))),
	 "add host h3; set endpoint red/a; del host h2; set tenant red",
	 "add host h2; set tenant red; set endpoint red/a; del host h3"},
	{"a host goes with who lived there", TWO(RED(A(ON("h2")))), STATE(H1, RED("")),
	 "del endpoint red/a; del host h2", "add host h2; add endpoint red/a"},
	{"this host swaps its address with another", TWO(RED(A(ON("h2")))),
	 STATE(HOST("h1", "\"192.0.2.2\"") "," HOST("h2", "\"192.0.2.1\""), RED(A(ON("h2")))),
	 "del endpoint red/a; del host h2; set switch h1; add host h2; add endpoint red/a", NULL},
	{"this host gives its address to another", TWO(""),
	 STATE(HOST("h1", "\"192.0.2.4\"") "," HOST("h2", "\"192.0.2.1\""), ""),
	 "set switch h1; set host h2", "set host h2; set switch h1"},
	{"all get an address of the other family", TWO(RED(A(ON("h2")))),
	 STATE(HOST("h1", "\"192.0.2.1\",\"fd00::1\"") "," HOST("h2", "\"fd00::2\""),
	       RED(A(ON("h2")))),
	 "set switch h1; set host h2", NULL},
	{"a host that serves a gateway is named anew: with all that goes by the gateway",
	 WHOLE(H1 "," H2,
	       BOTH(NET_BY("10.0.0.9", "h2") PUBLISH(80, "10.0.0.1:80"), NET("10.1.0.9")),
	       EACH_OTHER),
	 WHOLE(H1 "," HOST("h3", "\"192.0.2.2\""),
	       BOTH(NET_BY("10.0.0.9", "h3") PUBLISH(80, "10.0.0.1:80"), NET("10.1.0.9")),
	       EACH_OTHER),
	 "del peer blue/red; del peer red/blue; del publish red/tcp/80; del gateway red; "
	 "del host h2; add host h3; add gateway red; add publish red/tcp/80; add peer blue/red; "
	 "add peer red/blue",
	 "del peer blue/red; del peer red/blue; del publish red/tcp/80; del gateway red; "
	 "del host h3; add host h2; add gateway red; add publish red/tcp/80; add peer blue/red; "
	 "add peer red/blue"},
	{"a host gives its address away, and its own is of a family that this host has not yet",
	 STATE(THREE, ""),
	 STATE(HOST("h1", "\"192.0.2.1\",\"fd00::1\"") "," HOST("h2", "\"fd00::2\"") "," HOST(
		       "h3", "\"192.0.2.2\""),
	       ""),
	 "del host h2; set switch h1; set host h3; add host h2",
	 "set host h3; set switch h1; set host h2"},
	{"a host whose gateway it is swaps its address",
	 STATE(THREE, RED(NET_BY("10.0.0.9", "h2"))), STATE(SWAPPED, RED(NET_BY("10.0.0.9", "h2"))),
	 "del gateway red; del host h2; del host h3; add host h2; add host h3; add gateway red",
	 NULL},
};

static const struct step gateways[] = {
	{"a gateway moves", TWO(RED(NET("10.0.0.9"))), TWO(RED(NET_BY("10.0.0.9", "h2"))),
	 "set gateway red", NULL},
	{"an address goes from an endpoint to the gateway",
	 TWO(RED(NET("10.0.0.9") A_IP("10.0.0.1", DEV("v1")))),
	 TWO(RED(NET("10.0.0.1") A_IP("10.0.0.2", DEV("v1")))),
	 "set endpoint red/a; set gateway red", "set gateway red; set endpoint red/a"},
	{"they swap",
	 TWO(RED(NET("10.0.0.9") A_IP("10.0.0.1", DEV("v1")) PUBLISH(80, "10.0.0.1:80"))),
	 TWO(RED(NET("10.0.0.1") A_IP("10.0.0.9", DEV("v1")) PUBLISH(80, "10.0.0.9:80"))),
	 "del publish red/tcp/80; del gateway red; del endpoint red/a; add endpoint red/a; "
	 "add gateway red; add publish red/tcp/80",
	 NULL},
	{"two routed networks swap", TWO(BOTH(ROUTED("10.0.0.9"), ROUTED("10.1.0.9"))),
	 TWO(BOTH(ROUTED("10.1.0.9"), ROUTED("10.0.0.9"))),
	 "del gateway blue; del gateway red; add gateway blue; add gateway red", NULL},
	{"a routed network goes to another tenant, whose own is free",
	 TWO(BOTH(ROUTED("10.0.0.9"), ROUTED("10.1.0.9"))),
	 TWO(BOTH(ROUTED("10.2.0.9"), ROUTED("10.0.0.9"))), "set gateway red; set gateway blue",
	 "set gateway blue; set gateway red"},
	{"a network goes to a gateway that routes it, from one that does not",
	 TWO(BOTH(NET("10.0.0.9"), ROUTED("10.1.0.9"))),
	 TWO(BOTH(NET("10.2.0.9"), ROUTED("10.0.0.9"))), "set gateway blue; set gateway red", NULL},
	{"and from one that does to one that does not",
	 TWO(BOTH(ROUTED("10.0.0.9"), NET("10.1.0.9"))),
	 TWO(BOTH(ROUTED("10.2.0.9"), NET("10.0.0.9"))), "set gateway blue; set gateway red", NULL},
	{"a published port goes to another tenant",
	 TWO(BOTH(NET("10.0.0.9") A_IP("10.0.0.1", DEV("v1")) PUBLISH(80, "10.0.0.1:80"),
		  NET("10.0.0.9") A_IP("10.0.0.1", DEV("v2")))),
	 TWO(BOTH(NET("10.0.0.9") A_IP("10.0.0.1", DEV("v1")),
		  NET("10.0.0.9") A_IP("10.0.0.1", DEV("v2")) PUBLISH(80, "10.0.0.1:80"))),
	 "del publish red/tcp/80; add publish blue/tcp/80",
	 "del publish blue/tcp/80; add publish red/tcp/80"},
	{"a published port leads elsewhere",
	 TWO(RED(NET("10.0.0.9") A_IP("10.0.0.1", DEV("v1")) PUBLISH(80, "10.0.0.1:80"))),
	 TWO(RED(NET("10.0.0.9") A_IP("10.0.0.1", DEV("v1")) PUBLISH(80, "10.0.0.1:81"))),
	 "del publish red/tcp/80; add publish red/tcp/80", NULL},
	{"a half allows less", PEERED("10.0.0.9", "10.1.0.9"),
	 PEERS(BOTH(NET("10.0.0.9"), NET("10.1.0.9")),
	       PEER("red", "blue", ",\"proto\":\"tcp\",\"port\":80") "," PEER("blue", "red", "")),
	 "del peer red/blue; add peer red/blue", NULL},
	{"a peer has another network: both halves", PEERED("10.0.0.9", "10.1.0.9"),
	 PEERED("10.0.0.9", "10.2.0.9"),
	 "del peer blue/red; del peer red/blue; set gateway blue; add peer blue/red; "
	 "add peer red/blue",
	 NULL},
	{"peers swap their networks: no peering is open meanwhile", PEERED("10.0.0.9", "10.1.0.9"),
	 PEERED("10.1.0.9", "10.0.0.9"),
	 "del peer blue/red; del peer red/blue; set gateway blue; set gateway red; "
	 "add peer blue/red; add peer red/blue",
	 NULL},
};

/* Networks behind endpoints; R is one that has some, at h2. */
#define BEHIND(list) ON("h2") ",\"prefix\":[" list "]"
#define R(list) A(BEHIND(list))
#define NETS(list) ",\"net\":[" list "]"

static const struct step prefixes[] = {
	{"a network goes from one endpoint to another",
	 TWO(RED(AB(BEHIND("\"10.7.0.0/24\""), ON("h2")))),
	 TWO(RED(AB(ON("h2"), BEHIND("\"10.7.0.0/16\"")))),
	 "set endpoint red/a; set endpoint red/b", "set endpoint red/b; set endpoint red/a"},
	{"two swap theirs", TWO(RED(AB(BEHIND("\"10.7.0.0/24\""), BEHIND("\"10.8.0.0/24\"")))),
	 TWO(RED(AB(BEHIND("\"10.8.0.0/16\""), BEHIND("\"10.7.0.0/24\"")))),
	 "del endpoint red/a; del endpoint red/b; add endpoint red/a; add endpoint red/b", NULL},
	{"to where the gateway had an address",
	 TWO(RED(GW("\"ip\":[\"10.7.0.9/16\"]") A(ON("h2")))),
	 TWO(RED(GW("\"ip\":[\"10.7.1.9/16\"]") R("\"10.7.0.0/24\""))),
	 "set gateway red; set endpoint red/a", "set endpoint red/a; set gateway red"},
	{"it and the gateway's network swap", TWO(RED(NET("10.7.0.9") R("\"10.8.0.0/24\""))),
	 TWO(RED(NET("10.8.0.9") R("\"10.7.0.0/24\""))),
	 "del gateway red; del endpoint red/a; add endpoint red/a; add gateway red", NULL},
	{"a net of the tenant becomes one behind an endpoint",
	 TWO(RED(NETS("\"10.7.0.0/24\"") A(ON("h2")))), TWO(RED(R("\"10.7.0.0/16\""))),
	 "set tenant red; set endpoint red/a", "set endpoint red/a; set tenant red"},
	{"and the tenant's frames become wider",
	 TWO(RED(NETS("\"10.7.0.0/24\"") ",\"mtu\":1300" A(ON("h2")))),
	 TWO(RED(",\"mtu\":1400" R("\"10.7.0.0/16\""))),
	 "del endpoint red/a; set tenant red; add endpoint red/a",
	 "set endpoint red/a; set tenant red"},
	{"outside: from one tenant's router to another's",
	 TWO(BOTH(ROUTED("10.0.0.9") R("\"10.7.0.0/24\""), ROUTED("10.1.0.9") A(ON("h2")))),
	 TWO(BOTH(ROUTED("10.0.0.9") A(ON("h2")), ROUTED("10.1.0.9") R("\"10.7.0.0/16\""))),
	 "set endpoint red/a; set endpoint blue/a", "set endpoint blue/a; set endpoint red/a"},
	{"and with NAT that is no matter",
	 TWO(BOTH(NET("10.0.0.9") R("\"10.7.0.0/24\""), ROUTED("10.1.0.9") A(ON("h2")))),
	 TWO(BOTH(NET("10.0.0.9") A(ON("h2")), ROUTED("10.1.0.9") R("\"10.7.0.0/16\""))),
	 "set endpoint blue/a; set endpoint red/a", NULL},
	{"a router's becomes another tenant's gateway's",
	 TWO(BOTH(ROUTED("10.0.0.9") R("\"10.7.0.0/24\""), ROUTED("10.1.0.9"))),
	 TWO(BOTH(ROUTED("10.0.0.9") A(ON("h2")), ROUTED("10.7.0.9"))),
	 "set endpoint red/a; set gateway blue", "set gateway blue; set endpoint red/a"},
	{"one tenant gets NAT, and another has its network outside",
	 TWO(BOTH(ROUTED("10.0.0.9") R("\"10.7.0.0/24\""), ROUTED("10.1.0.9") A(ON("h2")))),
	 TWO(BOTH(NET("10.0.0.9") R("\"10.7.0.0/24\""), ROUTED("10.1.0.9") R("\"10.7.0.0/24\""))),
	 "set gateway red; set endpoint blue/a", "set endpoint blue/a; set gateway red"},
	{"of two with equal networks the one with NAT is the other",
	 TWO(BOTH(ROUTED("10.0.0.9") R("\"10.7.0.0/24\""), NET("10.1.0.9") R("\"10.7.0.0/24\""))),
	 TWO(BOTH(NET("10.0.0.9") R("\"10.7.0.0/24\""), ROUTED("10.1.0.9") R("\"10.7.0.0/24\""))),
	 "set gateway red; set gateway blue", "set gateway blue; set gateway red"},
};

static void prefixes_change(void **state)
{
	(void)state;
	STEP_ALL(prefixes);
}

static void tenants_change(void **state)
{
	(void)state;
	STEP_ALL(tenants);
}

static void endpoints_change(void **state)
{
	(void)state;
	STEP_ALL(endpoints);
}

static void hosts_change(void **state)
{
	(void)state;
	STEP_ALL(hosts);
}

static void gateways_change(void **state)
{
	(void)state;
	STEP_ALL(gateways);
}

/* What is there half, or whose device is gone, is made whole. */
static void halves_are_mended(void **state)
{
	static const char *const text =
		PEERS(BOTH(NET("10.0.0.9") EPS(EP("a", "01", "\"10.0.0.1\"", DEV("v1")) "," EP(
				   "b", "02", "", DEV("v2"))) PUBLISH(80, "10.0.0.1:80"),
			   NET("10.1.0.9")),
		      PEER("red", "blue", ""));
	struct state have, want;
	char list_text[1024];

	(void)state;
	step_read(text, true, &have);
	step_read(text, true, &want);
	have.endpoint[0].pending = true;
	have.endpoint[1].ifindex = 0;
	have.tenant[0].gateway.pending = true;
	have.publish[0].pending = true;
	have.peer[0].pending = true;
	step_list(&have, &want, list_text, sizeof(list_text));
	assert_string_equal(list_text,
			    "del peer red/blue; del publish red/tcp/80; set endpoint red/a; "
			    "set endpoint red/b; set gateway blue; add publish red/tcp/80; "
			    "add peer red/blue");
	/* And what only it had goes. */
	state_free(&want);
	step_read(TWO(""), true, &want);
	step_list(&have, &want, list_text, sizeof(list_text));
	assert_string_equal(list_text,
			    "del peer red/blue; del publish red/tcp/80; del gateway blue; "
			    "del gateway red; del endpoint red/a; del endpoint red/b; "
			    "del tenant blue; del tenant red");
	state_free(&have);
	state_free(&want);
}

/* Where no switch is up it comes first of what is new. */
static void switch_comes_up(void **state)
{
	struct state have, want;
	char text[256];

	(void)state;
	step_read(STATE(H1, ""), false, &have);
	step_read(TWO(TENANT("red", 1, "")), true, &want);
	step_list(&have, &want, text, sizeof(text));
	assert_string_equal(text, "add switch h1; add host h2; add tenant red");
	state_free(&have);
	state_free(&want);
}

static size_t objects(const struct state_run *r, bool done, const char *first)
{
	json_t *all = state_run_json(r, done);
	const size_t n = json_array_size(all);

	if (n)
		assert_string_equal(
			json_string_value(json_object_get(json_array_get(all, 0), "object")),
			first);
	json_decref(all);
	return n;
}

/* A switch that apply made is done, also where nothing else is. */
static void what_is_done(void **state)
{
	struct state_run r = {.made = true};

	(void)state;
	step_read(TWO(""), true, &r.have);
	step_read(TWO(TENANT("red", 1, A(DEV("v1")))), true, &r.want);
	assert_int_equal(state_diff(&r.have, &r.want, &r.changes), 0);
	assert_int_equal(objects(&r, true, "switch"), 1);
	assert_int_equal(objects(&r, false, "tenant"), 2);
	r.done = 1;
	assert_int_equal(objects(&r, true, "switch"), 2);
	assert_int_equal(objects(&r, false, "endpoint"), 1);
	state_run_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tenants_change),  cmocka_unit_test(endpoints_change),
		cmocka_unit_test(hosts_change),	   cmocka_unit_test(gateways_change),
		cmocka_unit_test(prefixes_change), cmocka_unit_test(halves_are_mended),
		cmocka_unit_test(switch_comes_up), cmocka_unit_test(what_is_done),
	};

	return cmocka_run_group_tests_name("order of changes", tests, NULL, NULL);
}
