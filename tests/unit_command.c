// SPDX-License-Identifier: GPL-2.0-only
/* The reading of words by the table of commands. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if_arp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cmd/cmd.h"
#include "wire/underlay.h"
#include "typed.h"

#include <cmocka.h>

#define KEY0 "+vDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PA="
#define KEY "//////////////////////////////////////////8="

static struct words assert_taken(const char *text)
{
	const struct command *command;
	struct words words;

	if (typed(text, &command, &words))
		fail_msg("%s: %s", text, failure()->text);
	return words;
}

static void taken(void **state)
{
	struct words w = assert_taken("tenant add red id 100 mtu 1400 broadcast off");

	(void)state;
	assert_string_equal(w.name.s, "red");
	assert_int_equal(w.given,
			 W_NAME | FIELD(TENANT_ID) | FIELD(TENANT_MTU) | FIELD(TENANT_BROADCAST));
	assert_int_equal(w.tenant.id, 100);
	assert_int_equal(w.tenant.mtu, 1400);
	assert_int_equal(w.tenant.broadcast, 0);

	w = assert_taken("endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 ip fd00::1 "
			 "dev veth1");
	assert_string_equal(w.endpoint.tenant.s, "red");
	assert_string_equal(w.endpoint.dev, "veth1");
	assert_int_equal(w.endpoint.ip.n, 2);
	assert_int_equal(w.endpoint.ip.at[0].w[3], htonl(0x0a000001));

	w = assert_taken("apply ../a/b.json name h1 wait 30 missing skip");
	assert_string_equal(w.file, "../a/b.json");
	assert_int_equal(w.given, FIELD(OPTION_NAME) | FIELD(OPTION_WAIT) | FIELD(OPTION_MISSING));
	assert_int_equal(w.option.wait, 30);
	assert_refused("apply", "the file is missing");
	assert_refused("apply a.json missing some", "some");

	w = assert_taken("endpoint set a ip none");
	assert_int_equal(w.given, W_NAME | FIELD(ENDPOINT_IP));
	assert_int_equal(w.endpoint.ip.n, 0);

	w = assert_taken("endpoint set a rate-out 10mbit rate-in none burst 256k");
	assert_int_equal(w.given, W_NAME | ENDPOINT_LIMITS);
	assert_int_equal(w.endpoint.limits.rate[TSW_RATE_OUT], 10000000);
	assert_int_equal(w.endpoint.limits.rate[TSW_RATE_IN], 0);
	assert_int_equal(w.endpoint.limits.burst, 256 << 10);

	w = assert_taken("endpoint show tenant red");
	assert_int_equal(w.given, FIELD(ENDPOINT_TENANT));
	w = assert_taken("endpoint show a tenant red");
	assert_int_equal(w.given, W_NAME | FIELD(ENDPOINT_TENANT));
	w = assert_taken("endpoint show tenant");
	assert_int_equal(w.given, W_NAME);
	w = assert_taken("tenant set red mtu 0");
	assert_int_equal(w.given, W_NAME | FIELD(TENANT_MTU));
	assert_taken("tenant add id id 5");
	assert_taken("version");
	assert_taken("switch up dev eth0 xdp auto attach clsact max-endpoints 16777216");
	assert_taken("tenant add red id 4294967295 encap gre");
	assert_taken("tenant add red id 16777215 encap geneve");
	assert_taken("tenant set red id 4294967295"); /* it may be gre's */
}

static void encryption(void **state)
{
	struct words w = assert_taken("host add h2 ip 192.0.2.2 key " KEY0 " key " KEY);

	(void)state;
	assert_int_equal(w.host.key.n, 2);
	assert_int_equal(TSW_CRYPT_PARITY(w.host.key.at[1].octet), 1);
	w = assert_taken("host set h2 key none");
	assert_int_equal(w.given, W_NAME | FIELD(HOST_KEY));
	w = assert_taken("switch up dev eth0 encrypt wireguard,mixed wg-port 65532");
	assert_int_equal(w.up.encrypt, TSW_ASK_ENCRYPT_MIXED);
	w = assert_taken("switch rekey wait 5 force on");
	assert_int_equal(w.given, FIELD(OPTION_WAIT) | FIELD(OPTION_FORCE));
	assert_refused("host add h2 ip 192.0.2.2 key " KEY " key " KEY, "cannot be a second key");
	assert_refused("host set h2 key " KEY " key none", "\"none\" stands alone");
	assert_refused("host set h2 key " KEY "=", "is not a key");
	assert_refused("switch up dev eth0 encrypt on", "\"on\" is not one of off, wireguard");
	assert_refused("switch up dev eth0 wg-port 65533", "from 1 to 65532");
	assert_refused("switch rekey now", "unknown word \"now\"");
}

static void refused(void **state)
{
	(void)state;
	assert_refused("tenant", "a verb is missing");
	assert_refused("tenant adt red id 5",
		       "is not one of add, replace, set, del, show; did you mean \"add\"?");
	assert_refused("tenant add", "name is missing");
	assert_refused("tenant add red", "\"id\" is missing");
	assert_refused("tenant add red id", "\"id\" needs a value");
	assert_refused("tenant add red id 5 id 6", "\"id\" is given twice");
	assert_refused("tenant add red id 5 colour blue", "unknown word \"colour\"");
	assert_refused("tenant add red id 5 dev eth0", "unknown word \"dev\"");
	assert_refused("tenant add red id 0", "\"0\" is not a decimal number from 1 to");
	assert_refused("tenant add red id 16777216", "from 1 to 16777215");
	assert_refused("tenant add red id 0x10", "\"0x10\"");
	assert_refused("tenant add red id 4294967296 encap gre", "from 1 to 4294967295");
	assert_refused("tenant add red id 5 mtu 575", "from 576 to 65535");
	assert_refused("tenant add red id 5 broadcast yes", "one of off, on");
	assert_refused("tenant add \"\" id 5", "\"\" cannot be a name");
	assert_refused("tenant add help id 5", "\"help\" cannot be a name");
	assert_refused("endpoint add --help tenant red", "\"--help\" cannot be a name");
	assert_refused("host add h2", "\"ip\" is missing");
	assert_refused("host add h2 ip 192.0.2.1 ip 192.0.2.2", "\"192.0.2.2\" is a second IPv4");
	assert_refused("host add h2 ip fd00::1 ip fd00::2", "\"fd00::2\" is a second IPv6");
	assert_refused("host add h2 ip fd00::1 ip 192.0.2.1 ip fd00::2", "\"fd00::2\" is a second");
	assert_refused("host add none ip 192.0.2.2", "\"none\" cannot be a host's name");
	assert_refused("host add h2 ip fe80::1", "\"fe80::1\" is a link-local address");
	assert_refused("host set h2 ip none", "\"none\" is not an IPv4");
	assert_refused("endpoint add a tenant red mac 02:00:00:00:00:01", "either dev DEV or host");
	assert_refused("endpoint add a tenant red mac 02:00:00:00:00:01 dev d host h", "one place");
	assert_refused("endpoint add a mac 02:00:00:00:00:01 dev d", "\"tenant\" is missing");
	assert_refused("endpoint set a", "nothing to set");
	assert_refused("endpoint set a ip none ip 10.0.0.1", "stands alone");
	assert_refused("endpoint set a ip 10.0.0.1 ip none", "stands alone");
	assert_refused("endpoint set a ip 10.0.0.1 ip 10.0.0.1", "given twice");
	assert_refused("endpoint set a dev 1234567890123456", "not a device name");
	assert_refused("switch up", "\"dev\" is missing");
	assert_refused("switch up dev a dev b dev a", "\"a\" is given twice");
	assert_refused("switch set dev 1 dev 2 dev 3 dev 4 dev 5 dev 6 dev 7 dev 8 dev 9",
		       "\"9\" is one device too many: the underlay has at most 8");
	assert_refused("switch up dev a local 192.0.2.1 local 192.0.2.2",
		       "\"192.0.2.2\" is a second IPv4");
	assert_refused("switch set local fd00::1 local fd00::1", "\"fd00::1\" is a second IPv6");
	assert_refused("switch set local febf::1", "\"febf::1\" is a link-local address");
	assert_refused("switch set local none", "\"none\" is not an IPv4 or IPv6 address");
	assert_refused("switch set", "nothing to set");
	assert_refused("switch set xdp bogus",
		       "\"bogus\" is not one of auto, native, generic, off");
	assert_refused("switch set port 4789", "unknown word \"port\"");
	assert_refused("endpoint set a dev a dev b", "\"dev\" is given twice");
	assert_refused("tenant set red id 16777216 encap vxlan", "from 1 to 16777215");
	assert_refused("tenant add red id 16777216 encap geneve", "from 1 to 16777215");
	assert_refused("tenant set red id 4294967296", "from 1 to 4294967295");
	assert_refused("switch up dev eth0 port 65536", "from 1 to 65535");
	assert_refused("switch up dev eth0 max-tenants 0", "from 1 to 1048576");
	assert_refused("tenant set red rate-out 5parsec", "\"5parsec\" is not a rate");
	assert_refused("tenant set red burst 0", "\"0\" is not a size");
	assert_refused("tenant set red rate-in", "\"rate-in\" needs a value");
	assert_refused("endpoint set a rate-out 1mbit rate-out 2mbit", "given twice");
	assert_refused("version now", "unknown word \"now\"");
}

static void resolvers(void **state)
{
	struct words w = assert_taken("gateway set red resolver fd01::53 resolver 192.0.2.53");

	(void)state;
	assert_int_equal(w.given, W_NAME | FIELD(GATEWAY_RESOLVER));
	assert_string_equal(addr_text(&w.gateway.resolver.of[TSW_IPV4]), "192.0.2.53");
	assert_string_equal(addr_text(&w.gateway.resolver.of[TSW_IPV6]), "fd01::53");
	w = assert_taken("gateway set red resolver none");
	assert_true(addr_is_none(&w.gateway.resolver.of[TSW_IPV4]));
	assert_taken("gateway add red ip 10.0.0.254/24 resolver 192.0.2.53");

	assert_refused("gateway set red resolver fe80::1", "\"fe80::1\" is a link-local");
	assert_refused("gateway set red resolver 192.0.2.1 resolver 192.0.2.2",
		       "\"192.0.2.2\" is a second IPv4");
	assert_refused("gateway set red resolver none resolver 192.0.2.2", "stands alone");
	assert_refused("gateway set red resolver", "\"resolver\" needs a value");
}

static void gateways(void **state)
{
	struct words w = assert_taken("gateway add red ip 10.0.0.254/24 ip fd00::fe/64 host h2 "
				      "mac 02:00:00:00:00:fe nat on snat 192.0.2.9 snat fd01::9");

	(void)state;
	assert_int_equal(w.given, W_NAME | FIELD(GATEWAY_IP) | FIELD(GATEWAY_HOST) |
					  FIELD(GATEWAY_MAC) | FIELD(GATEWAY_NAT) |
					  FIELD(GATEWAY_SNAT));
	assert_int_equal(w.gateway.ip.n, 2);
	assert_string_equal(prefix_text(&w.gateway.ip.at[0]), "10.0.0.254/24");
	assert_string_equal(prefix_text(&w.gateway.ip.at[1]), "fd00::fe/64");
	assert_string_equal(addr_text(&w.gateway.snat.of[TSW_IPV4]), "192.0.2.9");
	assert_string_equal(addr_text(&w.gateway.snat.of[TSW_IPV6]), "fd01::9");
	w = assert_taken("gateway set red host h2 drain 30");
	assert_int_equal(w.given, W_NAME | FIELD(GATEWAY_HOST) | FIELD(GATEWAY_DRAIN));
	assert_int_equal(w.gateway.drain, 30);
	w = assert_taken("gateway set red nat off snat none");
	assert_int_equal(w.gateway.nat, 0);
	assert_true(addr_is_none(&w.gateway.snat.of[TSW_IPV4]) &&
		    addr_is_none(&w.gateway.snat.of[TSW_IPV6]));
	assert_taken("gateway set red snat fd01::9");
	assert_taken("gateway show red");
	assert_taken("gateway show");
	assert_taken("gateway del red force on");

	assert_refused("gateway add", "name is missing");
	assert_refused("gateway add red", "\"ip\" is missing");
	assert_refused("gateway add red ip 10.0.0.254", "\"10.0.0.254\" has no prefix length");
	assert_refused("gateway add red ip none", "\"none\" has no prefix length");
	assert_refused("gateway add red ip 10.0.0.0/24", "\"10.0.0.0/24\" is its network's");
	assert_refused("gateway add red ip 10.0.0.1/24 ip 10.0.0.1/25",
		       "\"10.0.0.1/25\" is given twice");
	assert_refused("gateway add red ip 10.0.0.1/24 ip 10.0.0.2/24 ip 10.0.0.3/24 "
		       "ip 10.0.0.4/24 ip 10.0.0.5/24 ip 10.0.0.6/24 ip 10.0.0.7/24 "
		       "ip 10.0.0.8/24 ip 10.0.0.9/24",
		       "\"10.0.0.9/24\" is one address too many: a gateway has at most 8");
	assert_refused("gateway add red ip 10.0.0.1/24 nat off snat 192.0.2.9", "contradict");
	assert_refused("gateway add red ip 10.0.0.1/24 nat maybe", "one of off, on");
	assert_refused("gateway add red ip 10.0.0.1/24 snat 224.0.0.1", "\"224.0.0.1\" is a multi");
	assert_refused("gateway add red ip 10.0.0.1/24 snat fe80::1",
		       "\"fe80::1\" is a link-local");
	assert_refused("gateway add red ip 10.0.0.1/24 snat 192.0.2.1 snat 192.0.2.2",
		       "\"192.0.2.2\" is a second IPv4");
	assert_refused("gateway add red ip 10.0.0.1/24 snat none snat 192.0.2.2", "stands alone");
	assert_refused("gateway set red snat 192.0.2.2 snat none", "stands alone");
	assert_refused("gateway add red ip 10.0.0.1/24 drain 5", "unknown word \"drain\"");
	assert_refused("gateway add red ip 10.0.0.1/24 dev eth0", "unknown word \"dev\"");
	assert_refused("gateway set red", "nothing to set");
	assert_refused("gateway set red drain 5", "\"drain\" needs \"host\"");
	assert_refused("gateway set red mac 02:00:00:00:00:01 drain 5", "\"drain\" needs");
	assert_refused("gateway set red host h2 drain -1", "\"-1\" is not a decimal number");
	assert_refused("gateway set red host h2 drain 604801", "from 0 to 604800");
	assert_refused("gateway set red host \"\"", "cannot be a name");
	assert_refused("gateway show red blue", "unknown word \"blue\"");
}

static void nets(void **state)
{
	struct words w = assert_taken("tenant add red id 5 net 10.0.0.0/24 net fd00:a::/64");

	(void)state;
	assert_int_equal(w.given, W_NAME | FIELD(TENANT_ID) | FIELD(TENANT_NET));
	assert_int_equal(w.tenant.net.n, 2);
	assert_string_equal(prefix_text(&w.tenant.net.at[0]), "10.0.0.0/24");
	assert_string_equal(prefix_text(&w.tenant.net.at[1]), "fd00:a::/64");
	w = assert_taken("tenant set red net none");
	assert_int_equal(w.given, W_NAME | FIELD(TENANT_NET));
	assert_int_equal(w.tenant.net.n, 0);
	assert_taken(
		"tenant set red net 10.0.0.0/31 net 10.0.0.2/32 net fd00::/127 net fd00::2/128");

	assert_refused("tenant set red net 10.0.0.1/33", "\"10.0.0.1/33\"");
	assert_refused("tenant set red net x", "\"x\" has no prefix length");
	assert_refused("tenant set red net 10.0.0.0", "\"10.0.0.0\" has no prefix length");
	assert_refused(
		"tenant set red net 10.0.0.1/24",
		"\"10.0.0.1/24\" has bits behind its prefix length: the network is 10.0.0.0/24");
	assert_refused("tenant set red net none net 10.0.0.0/24", "without other networks");
	assert_refused("tenant set red net 10.0.0.0/24 net none", "without other networks");
	assert_refused("tenant set red net 10.0.0.0/24 net 10.0.0.0/24",
		       "\"10.0.0.0/24\" overlaps 10.0.0.0/24");
	assert_refused("tenant set red net 10.0.0.0/24 net fd00::/64 net 10.0.0.128/25",
		       "\"10.0.0.128/25\" overlaps 10.0.0.0/24");
	assert_refused("tenant set red net 10.0.1.0/24 net 10.0.2.0/24 net 10.0.3.0/24 "
		       "net 10.0.4.0/24 net 10.0.5.0/24 net 10.0.6.0/24 net 10.0.7.0/24 "
		       "net 10.0.8.0/24 net 10.0.9.0/24",
		       "\"10.0.9.0/24\" is one prefix too many: at most 8");
	/* What no host can have is at one of its ends. */
	assert_refused("tenant set red net 126.0.0.0/7", "loopback address, in \"126.0.0.0/7\"");
	assert_refused("tenant set red net 128.0.0.0/1", "broadcast address, in \"128.0.0.0/1\"");
	assert_refused("tenant set red net 0.0.0.0/8", "0.0.0.0/8");
	assert_refused("tenant set red net 224.0.0.0/24", "multicast");
	assert_refused("tenant set red net fc00::/6", "multicast address, in \"fc00::/6\"");
	assert_refused("tenant set red net auto", "\"auto\" has no prefix length");
	assert_refused("peer add red with blue prefix none", "\"none\" has no prefix length");
}

/* `auto` is a word, and leaves the value alone. */
static void automatic(void **state)
{
	struct words w = assert_taken("tenant add red id auto encap gre");

	(void)state;
	assert_int_equal(w.given, W_NAME | FIELD(TENANT_ID) | FIELD(TENANT_ENCAP));
	assert_int_equal(w.automatic, TSW_AUTO_ID);
	assert_int_equal(w.tenant.id, 0);
	w = assert_taken("endpoint add a tenant red mac auto ip auto host h2");
	assert_int_equal(w.automatic, TSW_AUTO_MAC | TSW_AUTO_IP);
	assert_int_equal(w.endpoint.ip.n, 0);
	w = assert_taken("endpoint set a ip 10.9.0.1 ip auto ip fd00::9");
	assert_int_equal(w.automatic, TSW_AUTO_IP);
	assert_int_equal(w.endpoint.ip.n, 2);
	w = assert_taken("endpoint set a ip auto ip 10.9.0.1");
	assert_int_equal(w.endpoint.ip.n, 1);
	w = assert_taken("endpoint set a ip 10.9.0.1");
	assert_int_equal(w.automatic, 0);
	assert_taken("tenant add auto id auto");

	assert_refused("tenant add red id autoo", "from 1 to 4294967295 (or auto)");
	assert_refused("tenant add red id auto id auto", "\"id\" is given twice");
	assert_refused("tenant add red", "\"id\" is missing");
	assert_refused("tenant add red id 5 mtu auto", "\"auto\"");
	assert_refused("endpoint add a tenant red mac AUTO host h2",
		       "\"AUTO\" is not a MAC like 02:00:00:00:00:01 (or auto)");
	assert_refused("endpoint add a tenant red mac auto mac auto host h2", "given twice");
	assert_refused("endpoint add a tenant red ip auto host h2", "\"mac\" is missing");
	assert_refused("endpoint set a ip auto ip auto", "\"auto\" is given twice for \"ip\"");
	assert_refused("endpoint set a ip auto ip none", "stands alone");
	assert_refused("endpoint set a ip none ip auto", "stands alone");
	assert_refused("endpoint set a ip 169.254.169.253", "is a service address of the switch");
	assert_refused("endpoint set a ip fd00:ec2::253",
		       "\"fd00:ec2::253\" is a service address of the switch");
	assert_refused("gateway set red ip fd00:ec2::253/64", "is a service address of the switch");
	assert_taken("endpoint set a ip fd00:ec2::254");
	assert_refused("endpoint set a ip Auto", "\"Auto\" is not an IPv4");
	assert_refused("host set h2 ip auto", "\"auto\" is not an IPv4");
	assert_refused("gateway set red mac auto", "\"auto\" is not a MAC");
	assert_refused("gateway add red ip auto", "\"auto\" has no prefix length");
}

static void places(void **state)
{
	struct words w = assert_taken("gateway place central host h1 --apply");

	(void)state;
	assert_int_equal(w.given, FIELD(OPTION_CENTRAL) | FIELD(OPTION_HOST) | FIELD(OPTION_APPLY));
	w = assert_taken(
		"gateway place spread --apply host spread weight 3 host weight load f load g");
	assert_int_equal(w.given, FIELD(OPTION_SPREAD) | FIELD(OPTION_HOST) | FIELD(OPTION_WEIGHT) |
					  FIELD(OPTION_LOAD) | FIELD(OPTION_APPLY));

	assert_refused("gateway place", "either central or spread is needed");
	assert_refused("gateway place central spread host h1", "either central or spread");
	assert_refused("gateway place central", "central needs one \"host\"");
	assert_refused("gateway place central host h1 host h2", "central needs one \"host\"");
	assert_refused("gateway place central host h1 weight 2", "neither \"weight\" nor \"load\"");
	assert_refused("gateway place spread spread", "\"spread\" is given twice");
	assert_refused("gateway place spread weight 2 host h1", "right behind the \"host\"");
	assert_refused("gateway place spread host h1 weight 2 weight 3", "right behind");
	assert_refused("gateway place spread host h1 weight 0", "\"0\" is not a decimal number");
	assert_refused("gateway place spread host h1 weight 1000001", "from 1 to 1000000");
	assert_refused("gateway place spread host a/b", "\"a/b\" cannot be a name");
	assert_refused("gateway place spread load", "\"load\" needs a value");
	assert_refused("gateway place spread --apply on", "unknown word \"on\"");
}

static void lists(void **state)
{
	struct words w = assert_taken("switch up dev eth0 local fd00::1 dev eth1 local 192.0.2.1");

	(void)state;
	assert_int_equal(w.given, FIELD(SWITCH_DEV) | FIELD(SWITCH_LOCAL));
	assert_int_equal(w.up.dev.n, 2);
	assert_string_equal(w.up.dev.at[0], "eth0");
	assert_string_equal(w.up.dev.at[1], "eth1");
	assert_string_equal(addr_text(&w.up.local.of[TSW_IPV4]), "192.0.2.1");
	assert_string_equal(addr_text(&w.up.local.of[TSW_IPV6]), "fd00::1");

	w = assert_taken("switch set dev 1 dev 2 dev 3 dev 4 dev 5 dev 6 dev 7 dev 8");
	assert_int_equal(w.up.dev.n, 8);
	assert_true(addr_is_none(&w.up.local.of[TSW_IPV4]) &&
		    addr_is_none(&w.up.local.of[TSW_IPV6]));

	w = assert_taken("host add h2 ip fd00::2 ip 192.0.2.2");
	assert_int_equal(w.host.ip.preferred, TSW_IPV6);
	assert_string_equal(addr_text(&w.host.ip.of[TSW_IPV6]), "fd00::2");
	assert_string_equal(addr_text(&w.host.ip.of[TSW_IPV4]), "192.0.2.2");
}

/* XDP on a device, by the word and by what the device is. */
static void xdp_on(void **state)
{
	static const struct {
		const char *kind;
		__u32 asked;
		int wanted; /* enum tsw_xdp, or -errno */
		__u16 type;
	} all[] = {
		{"", TSW_XDP_AUTO, TSW_XDP_NATIVE},
		{"bond", TSW_XDP_AUTO, TSW_XDP_NATIVE},
		{"veth", TSW_XDP_AUTO, TSW_XDP_OFF},
		{"vlan", TSW_XDP_AUTO, TSW_XDP_OFF},
		{"bridge", TSW_XDP_AUTO, TSW_XDP_OFF},
		{"tun", TSW_XDP_AUTO, TSW_XDP_OFF},
		{"bonding", TSW_XDP_AUTO, TSW_XDP_OFF},
		{"veth", TSW_XDP_NATIVE, TSW_XDP_NATIVE},
		{"", TSW_XDP_GENERIC, TSW_XDP_GENERIC},
		{"", TSW_XDP_OFF, TSW_XDP_OFF},
		{"bond", TSW_XDP_OFF, TSW_XDP_OFF},
		{"wireguard", TSW_XDP_AUTO, TSW_XDP_OFF, ARPHRD_NONE},
		{"", TSW_XDP_AUTO, TSW_XDP_OFF, ARPHRD_RAWIP},
		{"ipip", TSW_XDP_GENERIC, -EOPNOTSUPP, ARPHRD_TUNNEL},
		{"gre", TSW_XDP_NATIVE, -EOPNOTSUPP, ARPHRD_IPGRE},
	};
	struct tsw_config c = {};
	struct tsw_underlay u;
	struct link dev = {};
	int got;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(dev.kind, sizeof(dev.kind), "%s", all[i].kind);
		dev.type = all[i].type ? all[i].type : ARPHRD_ETHER;
		c.xdp_asked = all[i].asked;
		got = underlay_choose_xdp(&c, &dev, &u);
		if ((got ? got : u.xdp) != all[i].wanted)
			fail_msg("kind \"%s\", asked %u: %d, %u", all[i].kind, all[i].asked, got,
				 u.xdp);
	}
}

/* Those that leave stand behind, and are still the switch's. */
static void underlays(void **state)
{
	struct tsw_config c = {.underlay = {{.ifindex = 7}, {.ifindex = 5}, {.ifindex = 9}}};

	(void)state;
	assert_int_equal(underlay_count(&c), 3);
	assert_int_equal(underlay_staying(&c), 3);
	c.underlay[1].flags = c.underlay[2].flags = TSW_UNDERLAY_LEAVING;
	assert_int_equal(underlay_count(&c), 3);
	assert_int_equal(underlay_staying(&c), 1);
	assert_true(underlay_has(&c, 9));
	assert_false(underlay_has(&c, 8));
	assert_false(underlay_has(&c, 0));
}

static void asked(void **state)
{
	char *add[] = {"tenant", "add", "red", "id", "0"}, *what[] = {"tenent", "a\nb"};
	char *show[] = {"endpoint", "show", "tenant", "red"}, text[64];
	char *place[] = {"gateway", "place", "spread", "host", "h1", "--apply", "load", "f"};
	char *euros[] = {"\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"};

	(void)state;
	command_text(5, add, text, sizeof(text));
	assert_string_equal(text, "tenant add \"red\" id \"0\"");
	command_text(4, show, text, sizeof(text));
	assert_string_equal(text, "endpoint show tenant \"red\"");
	command_text(8, place, text, sizeof(text));
	assert_string_equal(text, "gateway place spread host \"h1\" --apply load \"f\"");
	command_text(2, what, text, sizeof(text));
	assert_string_equal(text, "\"tenent\" \"a\\x0ab\"");
	command_text(5, add, text, 16);
	assert_string_equal(text, "tenant add \"...");
	command_text(1, euros, text, 16); /* "€€€..." would be cut within a character */
	assert_string_equal(text, "\"\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken),  cmocka_unit_test(refused),  cmocka_unit_test(encryption),
		cmocka_unit_test(lists),  cmocka_unit_test(gateways), cmocka_unit_test(resolvers),
		cmocka_unit_test(places), cmocka_unit_test(xdp_on),   cmocka_unit_test(underlays),
		cmocka_unit_test(asked),  cmocka_unit_test(nets),     cmocka_unit_test(automatic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
