// SPDX-License-Identifier: GPL-2.0-only
/*
 * Encryption between hosts, and an underlay without a link header: nothing goes between hosts by
 * another way than it should, in either direction.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crypts.h"
#include "probes.h"

#define VXLAN_DEV 120 /* the kernel's, in place of the tunnel device that is not one */

/* Each encapsulation over each family, IPv4, IPv6 and what is neither. */
static void every_way_by(int fd)
{
	for (size_t i = 0; i < WAYS; i++) {
		const struct packet_way *way = &packet_ways[i];
		const struct spec v4 = {.dst = way->mac, .to = way->ip, .payload = 50};
		const struct spec v6 = {.dst = way->mac, .from = IP6_A, .to = way->ip6};
		const struct spec raw = {RAW(way->mac)};

		say(tap_of(way->tenant), &v4);
		expect_packet(fd, &v4, &way->outer);
		say(tap_of(way->tenant), &v6);
		expect_packet(fd, &v6, &way->outer);
		say(tap_of(way->tenant), &raw);
		expect_packet(fd, &raw, &way->outer);
	}
	expect_nothing();
}

static void out(void **state)
{
	const struct outer unreached = {.to = IP_NO_ROUTE};
	const struct spec to_unreached = {.dst = MAC_ON_NO_ROUTE, .payload = 50};

	every_way_by(tun);
	every_way_by(tun); /* by what is kept of the way */
	/* The route is WireGuard's affair: the port's program asks for none. */
	say(red, &to_unreached);
	expect_packet(tun, &to_unreached, &unreached);
	(void)state;
}

/* A host's other key, then this host's: each pair has its device. */
static void out_by_keys(void **state)
{
	for (__u32 id = HOST2; id <= HOST5; id++)
		host_flags(id, TSW_HOST_ODD);
	lab_changed();
	usleep(50000); /* the way is kept for 40 ms */
	every_way_by(tun2);
	cryptor.own = 1;
	cryptor.ifindex[1][1] = cryptor.ifindex[0][0];
	crypt_set();
	usleep(50000);
	every_way_by(tun);
	(void)state;
}

static const struct spec to_c = {.dst = MAC_C, .to = IP_C, .payload = 50};
static const struct outer plain = {};
static const struct outer from_host2 = {FROM_HOST2}, from_host3 = {FROM_HOST3};

/* No device, or one that is gone: not in the clear. */
static void out_by_none(void **state)
{
	cryptor.ifindex[0][0] = 0;
	crypt_set();
	say(red, &to_c);
	expect_nothing();
	assert_int_equal(dropped(RED, TSW_DROP_NOT_ENCRYPTED, TSW_DIR_FROM_ENDPOINT), 1);
	cryptor.ifindex[0][0] = 999999;
	crypt_set();
	say(red, &to_c);
	expect_nothing();
	assert_int_equal(dropped(RED, TSW_DROP_NOT_ENCRYPTED, TSW_DIR_FROM_ENDPOINT), 2);
	(void)state;
}

/* Somebody deletes it, and makes another device that has its index: nothing goes either way. */
static void out_by_another(void **state)
{
	char line[256];
	struct frame f;
	int other;

	say(red, &to_c);
	expect_packet(tun, &to_c, &plain);
	close(tun);
	tun = open("/dev/null", O_RDWR | O_CLOEXEC); /* for the end */
	snprintf(line, sizeof(line),
		 "link add other index %u address " MAC_WIRE " type veth peer name other1\n"
		 "link set other addrgenmode none up\nlink set other1 addrgenmode none up\n",
		 cryptor.ifindex[0][0]);
	lab_ip(line);
	other = lab_tap("other1");
	say(red, &to_c);
	usleep(50000); /* and when nothing is kept of the way any more */
	say(red, &to_c);
	assert_false(lab_heard(other, QUIET_MS, &f));
	assert_int_equal(dropped(RED, TSW_DROP_NOT_ENCRYPTED, TSW_DIR_FROM_ENDPOINT), 2);
	lab_attach_tc(cryptor.ifindex[0][0], false, lab_program(FROM_WIRE));
	arrives(other, &(const struct spec){FROM_C, .outer = &from_host2});
	assert_false(lab_heard(red, QUIET_MS, &f));
	assert_int_equal(dropped(RED, TSW_DROP_NOT_ENCRYPTED, TSW_DIR_FROM_TUNNEL), 1);
	close(other);
	lab_ip("link del other\n");
	(void)state;
}

/* The way in the clear that is kept is used for some jiffies: at the wire it ends all the same. */
static void out_while_turned_on(void **state)
{
	struct frame got;
	int k;

	for (k = 0; k < 50; k++) {
		lab_config_flag(0, TSW_CFG_ENCRYPT);
		usleep(45000); /* so long one is kept */
		say(red, &to_c);
		assert_true(lab_heard(wire, WAIT_MS, &got));
		adopted(&got, &plain, &to_c);
		lab_config_flag(TSW_CFG_ENCRYPT, 0);
		say(red, &to_c);
		expect_packet(tun, &to_c, &plain);
	}
	(void)state;
}

static void out_in_the_clear(void **state)
{
	struct frame got;

	host_flags(HOST2, TSW_HOST_CLEAR);
	say(red, &to_c);
	assert_true(lab_heard(wire, WAIT_MS, &got));
	adopted(&got, &plain, &to_c);
	expect_nothing();
	(void)state;
}

/* What the kernel's own tunnel device sends is taken at the underlay's egress. */
static void out_by_the_kernel(void **state)
{
	const struct spec all = {.dst = MAC_BROADCAST, .to = "10.0.0.255"};
	struct frame got, link;
	struct tsw_config cfg;
	int strange; /* a tap */

	lab_ip("link add vxr index 120 type vxlan external dstport 4789 srcport 49152 65535 "
	       "nolearning udp6zerocsumtx udp6zerocsumrx\n"
	       "link set vxr addrgenmode none\nlink set vxr up\n");
	lab_sysctl("ipv4/conf/vxr/forwarding", "1");
	lab_config(&cfg);
	cfg.tunnel = VXLAN_DEV;
	cfg.flags |= TSW_CFG_SLOW_PATH;
	lab_config_set(&cfg);
	lab_changed();
	say(red, &all);
	frame_build(&all, &link);
	for (int copies = 0; copies < 2; copies++) { /* hosts 2 and 3 */
		assert_true(read_packet(tun, WAIT_MS, &link, &got));
		assert_int_equal(got.b[14 + 9], IPPROTO_UDP);
	}
	expect_nothing();
	/* Where its route leads to a device that is no underlay nobody would take it there. */
	lab_ip("route add " IP_HOST2 " dev str\nroute add " IP_HOST3 " dev str\n"
	       "neigh add " IP_HOST2 " lladdr " MAC_HOST2 " dev str nud permanent\n"
	       "neigh add " IP_HOST3 " lladdr " MAC_HOST3 " dev str nud permanent\n");
	strange = lab_tap("str1");
	say(red, &all);
	while (lab_heard(strange, QUIET_MS, &got))
		assert_int_not_equal(got.b[14 + 9], IPPROTO_UDP);
	close(strange);
	lab_ip("route del " IP_HOST2 " dev str\nroute del " IP_HOST3 " dev str\n");
	expect_nothing();
	/* Without a device nothing of it leaves. */
	cryptor.ifindex[0][0] = 0;
	crypt_set();
	say(red, &all);
	expect_nothing();
	lab_ip("link del vxr\n");
	(void)state;
}

/* From host 2, by each encapsulation: an inner frame of IPv4, of IPv6, and of neither. */
static void in(void **state)
{
	for (size_t i = 0; i < WIRES; i++) {
		const struct outer *outer = &packet_wires[i].outer;
		__u32 tenant = outer->vni ? outer->vni : RED;
		struct spec specs[] = {{FROM_C}, {FROM6_C}, {.src = MAC_C, RAW(MAC_A)}};

		for (size_t k = 0; k < COUNT(specs); k++) {
			specs[k].outer = outer;
			arrives(k == 1 ? tun2 : tun, &specs[k]);
			specs[k].outer = NULL;
			expect_frame(tap_of(tenant), &specs[k]);
		}
	}
	(void)state;
}

static void in_in_the_clear(void **state)
{
	const struct spec spec = {FROM_C, .outer = &from_host2}, inner = {FROM_C};

	arrives(wire, &spec);
	expect_nothing();
	assert_int_equal(dropped(RED, TSW_DROP_NOT_ENCRYPTED, TSW_DIR_FROM_TUNNEL), 1);
	host_flags(HOST2, TSW_HOST_CLEAR);
	arrives(wire, &spec);
	expect_frame(red, &inner);
	/* It alone: C does not live on host 3, which has a key. */
	arrives(wire, &(const struct spec){FROM_C, .outer = &from_host3});
	expect_nothing();
	(void)state;
}

/* XDP was there first, and may be yet. */
static void in_by_xdp(void **state)
{
	const struct spec spec = {FROM_C, .outer = &from_host2};
	struct packet_run run;
	struct frame f;

	frame_build(&spec, &f);
	assert_false(packet_run(XDP_NATIVE, &f, NULL, &run));
	assert_int_equal(run.verdict, XDP_PASS);
	assert_true(frame_equal("passed", &run.out, &f));
	(void)state;
}

/* Whether a host is alive is asked, and answered, by the devices that encrypt. */
static void probed(void **state)
{
	static const struct outer headers[] = {
		{FROM_HOST2, .ttl = 9},
		{FROM_HOST2, .gre = true},
		{FROM_HOST2, GENEVE_PROBE, .ttl = 9},
	};
	struct frame f, want, got;

	for (int i = 0; i < (int)COUNT(headers); i++) {
		const struct spec question = {Q4(.outer = &headers[i])};

		frame_build(&question, &f);
		probe_ask(&f);
		write_packet(tun, &f);
		probe_answer(&f, &want);
		assert_true(read_packet(tun, WAIT_MS, &want, &got));
		assert_true(frame_equal("answer", &got, &want));
		lab_say(wire, &f);
		expect_nothing();
		assert_int_equal(dropped(NOBODY, TSW_DROP_NOT_ENCRYPTED, TSW_DIR_FROM_TUNNEL),
				 i + 1);
	}
	(void)state;
}

/* What agents tell each other: in by a device that encrypts, though the host would not take it. */
static void told_of_flows(void **state)
{
	const struct spec spec = {.dst = MAC_WIRE,
				  .src = MAC_HOST2,
				  .from = IP_HOST2,
				  .to = IP_WIRE,
				  .dport = TSW_FLOWS_PORT,
				  .payload = 30};
	int fd = agent();

	lab_sysctl("ipv4/conf/all/rp_filter", "1");
	arrives(tun, &spec);
	assert_true(hears(fd));
	arrives(wire, &spec);
	assert_false(hears(fd));
	assert_int_equal(dropped(NOBODY, TSW_DROP_NOT_ENCRYPTED, TSW_DIR_FROM_TUNNEL), 1);
	host_flags(HOST2, TSW_HOST_CLEAR);
	arrives(wire, &spec);
	assert_true(hears(fd));
	lab_sysctl("ipv4/conf/all/rp_filter", "0");
	close(fd);
	(void)state;
}

static void tells_of_flows(void **state)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons(TSW_FLOWS_PORT),
				       .sin_addr = {inet_addr(IP_HOST2)}};
	const struct spec link = {.dst = MAC_HOST2};
	const int ask = (int)PASS_ASK;
	struct frame empty, got;
	int fd = agent();

	frame_build(&link, &empty);
	assert_false(setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &ask, sizeof(ask)));
	assert_int_equal(sendto(fd, "flow", 4, 0, (const struct sockaddr *)&to, sizeof(to)), 4);
	assert_true(read_packet(tun, WAIT_MS, &empty, &got));
	assert_int_equal(got.len, 14 + 20 + 8 + 4);
	expect_nothing();
	close(fd);
	(void)state;
}

/* A peer has the key, and yet may not speak with this host's stack by it. */
static void nothing_else_in(void **state)
{
	const struct spec spec = {.dst = MAC_WIRE,
				  .src = MAC_HOST2,
				  .from = IP_HOST2,
				  .to = IP_WIRE,
				  .dport = 7777,
				  .payload = 30};
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7777)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_false(bind(fd, (struct sockaddr *)&at, sizeof(at)));
	arrives(tun, &spec);
	assert_false(hears(fd));
	assert_int_equal(dropped(NOBODY, TSW_DROP_UNKNOWN_DESTINATION, TSW_DIR_FROM_TUNNEL), 1);
	arrives(wire, &spec); /* by the wire it is the host's own affair */
	assert_true(hears(fd));
	close(fd);
	(void)state;
}

/* Any user of the host may bind a socket to a device; by these nothing leaves. */
static void nothing_else_out(void **state)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(4789), .sin_addr = {inet_addr(IP_HOST2)}};
	static const char vxlan[64] = {0x08, 0, 0, 0, 0, 0, RED};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_false(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "tun", sizeof("tun")));
	sendto(fd, vxlan, sizeof(vxlan), 0, (const struct sockaddr *)&to, sizeof(to));
	expect_nothing();
	assert_int_equal(dropped(NOBODY, TSW_DROP_FOREIGN_TUNNEL, TSW_DIR_TO_TUNNEL), 1);
	close(fd);
	(void)state;
}

/* Somebody else's tunnel as the underlay: by routes, and in the clear as far as we know. */
static void bare_underlay(void **state)
{
	const struct outer to_host3 = {.dst = MAC_HOST3, .to = IP_HOST3};
	const struct spec to_d = {.dst = MAC_D, .to = IP_D, .payload = 50}, raw = {RAW(MAC_D)};
	const struct spec arp = {.kind = KIND_ARP,
				 .src = MAC_D,
				 .from = IP_D,
				 .dst = MAC_A,
				 .to = IP_A,
				 .outer = &from_host3};
	const struct spec from_d = {
		.src = MAC_D, .from = IP_D, .dst = MAC_A, .to = IP_A, .outer = &from_host3};
	struct spec inner = from_d;
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.flags &= ~(__u32)TSW_CFG_ENCRYPT;
	cfg.flags |= TSW_CFG_BARE;
	cfg.underlay[2].ifindex = if_nametoindex("tun");
	cfg.underlay[2].flags = TSW_UNDERLAY_BARE;
	lab_config_set(&cfg);
	lab_ip("route add " IP_HOST3 " dev tun\n");
	lab_changed();
	say(red, &to_d);
	expect_packet(tun, &to_d, &to_host3);
	say(red, &raw);
	expect_packet(tun, &raw, &to_host3);
	arrives(tun, &from_d);
	inner.outer = NULL;
	expect_frame(red, &inner);
	inner = arp;
	arrives(tun, &arp);
	inner.outer = NULL;
	expect_frame(red, &inner);
	expect_nothing();
	(void)state;
}

/* Other frames from there are the host's. */
static void bare_underlay_passes(void **state)
{
	const struct spec spec = {.dst = MAC_WIRE,
				  .src = MAC_HOST2,
				  .from = IP_HOST3,
				  .to = IP_WIRE,
				  .dport = 7777,
				  .payload = 30};
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7777)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	bare_underlay(state);
	assert_false(bind(fd, (struct sockaddr *)&at, sizeof(at)));
	arrives(tun, &spec);
	assert_true(hears(fd));
	close(fd);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(out),
		TEST(out_by_keys),
		TEST(out_by_none),
		TEST(out_by_another),
		TEST(out_while_turned_on),
		TEST(out_in_the_clear),
		TEST(out_by_the_kernel),
		TEST(in),
		TEST(in_in_the_clear),
		TEST(in_by_xdp),
		TEST(probed),
		TEST(told_of_flows),
		TEST(tells_of_flows),
		TEST(nothing_else_in),
		TEST(nothing_else_out),
		TEST(bare_underlay),
		TEST(bare_underlay_passes),
	};
	const struct packet_suite suite = {"crypt", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
