// SPDX-License-Identifier: GPL-2.0-only
/*
 * Encryption without a kernel that has it: keys as text, which keys and peers a host is to have,
 * the messages to WireGuard, and its answers in parts.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/wireguard.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "base/key.h"
#include "base/text.h"
#include "kernel/netlink.h"
#include "kernel/wireguard.h"
#include "record/host_keys.h"
#include "store/key_file.h"
#include "wire/crypt.h"
#include "wire/mtu.h"

#include <cmocka.h>

static struct tsw_key key_of(__u8 first)
{
	struct tsw_key key = {.octet = {first}};

	key.octet[TSW_CRYPT_KEY - 1] = 0x5a;
	return key;
}

static struct tsw_addr addr(const char *text)
{
	struct tsw_addr found = {};
	struct in_addr v4;

	if (inet_pton(AF_INET, text, &v4) == 1)
		return addr_from_v4(v4.s_addr);
	assert_int_equal(inet_pton(AF_INET6, text, &found), 1);
	return found;
}

/* ---- text ------------------------------------------------------------------------- */

/* From `base64` of coreutils. */
static void text(void **state)
{
	static const struct {
		__u8 first, rest;
		const char *text;
	} all[] = {
		{0, 0, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
		{0xff, 0xff, "//////////////////////////////////////////8="},
		{0x01, 0x23, "ASMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyM="},
		{0xfb, 0xf0, "+/Dw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PA="},
	};
	__u8 key[TSW_CRYPT_KEY], back[TSW_CRYPT_KEY];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		memset(key, all[i].rest, sizeof(key));
		key[0] = all[i].first;
		assert_string_equal(key_text(key), all[i].text);
		assert_true(key_read(all[i].text, back));
		assert_memory_equal(back, key, sizeof(key));
	}
}

static void no_key(void **state)
{
	static const char *const all[] = {
		"",
		"=",
		"//////////////////////////////////////////8",
		"//////////////////////////////////////////8==",
		"///////////////////////////////////////////=", /* bits behind its end */
		"//////////////////////////////////////////9=",
		"/////////////////////////////////////////=8=",
		"/////////////////////-////////////////////8=", /* the other base64 */
		" //////////////////////////////////////////8=",
		"/////////////////////\n////////////////////8=",
		"//////////////////////////////////////////8=\n",
	};
	struct tsw_key key;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!parse_key(all[i], &key))
			fail_msg("%s was taken", all[i]);
		assert_int_equal(failure()->status, EXIT_MISUSE);
	}
	assert_int_equal(parse_key("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", &key), -EINVAL);
	assert_non_null(strstr(failure()->text, "it is zero"));
}

/* ---- a host's keys ---------------------------------------------------------------- */

enum { A = 0x10, A2 = 0x20, B = 0x11, B2 = 0x21 }; /* first octets: A's of parity 0, B's of 1 */

/* What is there, what is asked for, what comes of it: keys by parity, 0 none. */
static void planned(void **state)
{
	enum { ODD = TSW_HOST_ODD, COMING = TSW_HOST_COMING, BOTH = TSW_HOST_BOTH };
	static const struct {
		__u8 have[2];
		__u16 flags;
		__u8 want[2];
		bool now;
		__u8 keys[2];
		__u16 then;
	} all[] = {
		{{0, 0}, 0, {A}, false, {A, 0}, 0},			 /* the first */
		{{0, 0}, 0, {B}, false, {0, B}, ODD},			 /* */
		{{A, 0}, 0, {A}, false, {A, 0}, 0},			 /* the same */
		{{A, 0}, 0, {A2}, false, {A2, 0}, 0},			 /* set up anew */
		{{A, 0}, 0, {B}, false, {A, B}, COMING},		 /* it changes it */
		{{A, B}, COMING, {B}, false, {A, B}, COMING},		 /* it goes on */
		{{A, B}, COMING, {A}, false, {A, 0}, 0},		 /* and gives up */
		{{A, B}, COMING, {B2}, false, {A, B2}, COMING},		 /* and another */
		{{A, B}, ODD, {B}, false, {0, B}, ODD},			 /* the old one goes */
		{{A, B}, ODD, {A2}, false, {A2, B}, ODD | COMING},	 /* the next change */
		{{A, B}, ODD, {A}, false, {A, B}, ODD | COMING},	 /* back */
		{{A, 0}, 0, {B}, true, {0, B}, ODD},			 /* nothing is encrypted */
		{{0, 0}, 0, {A, B}, false, {A, B}, COMING | BOTH},	 /* both at once */
		{{A, 0}, 0, {A, B}, false, {A, B}, COMING | BOTH},	 /* */
		{{A, B}, ODD | BOTH, {A, B}, false, {A, B}, ODD | BOTH}, /* it is used already */
		{{A, B}, ODD | BOTH, {B}, false, {0, B}, ODD},		 /* the change is over */
		{{A, B}, COMING | BOTH, {B}, false, {A, B}, COMING},	 /* and not seen to be */
		{{A, B}, ODD | BOTH, {B, A2}, false, {A2, B}, ODD | COMING | BOTH},
		{{A, 0}, 0, {0}, false, {0, 0}, 0}, /* none */
		{{A, B}, ODD | TSW_HOST_CLEAR, {0}, false, {0, 0}, TSW_HOST_CLEAR},
	};
	size_t i;
	int k;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct tsw_host host = {.flags = all[i].flags};
		struct tsw_host_keys keys = {}, then = {};
		struct tsw_key_list want = {}, list;

		for (k = 0; k < 2; k++) {
			const struct tsw_key have = key_of(all[i].have[k]),
					     becomes = key_of(all[i].keys[k]);

			if (all[i].have[k])
				memcpy(keys.key[k], have.octet, TSW_CRYPT_KEY);
			if (all[i].keys[k])
				memcpy(then.key[k], becomes.octet, TSW_CRYPT_KEY);
			if (all[i].want[k])
				want.at[want.n++] = key_of(all[i].want[k]);
		}
		host_keys_plan(&host, &keys, &want, all[i].now);
		if (host.flags != all[i].then || memcmp(&keys, &then, sizeof(keys)))
			fail_msg("row %zu: flags %x, keys %x and %x", i, host.flags, keys.key[0][0],
				 keys.key[1][0]);
		host_keys_list(&host, &keys, &list);
		if (want.n && memcmp(&list.at[list.n - 1], &want.at[want.n - 1], TSW_CRYPT_KEY))
			fail_msg("row %zu: the newest is %x", i, list.at[list.n - 1].octet[0]);
	}
}

/* ---- peers ------------------------------------------------------------------------ */

struct world {
	struct crypt c;
	struct host_row row;
	struct tsw_host_keys keys;
};

/* A host with both addresses and a key of parity 0; ours are of N parities, the first is used. */
static void begin(struct world *w, size_t n)
{
	size_t i;

	*w = (struct world){};
	w->row.host = (struct tsw_host){.addr = {addr("192.0.2.2"), addr("2001:db8::2")},
					.family = TSW_IPV6};
	w->keys.key[0][0] = A;
	w->c.map.port = 51820;
	w->c.keys.n = n;
	for (i = 0; i < n; i++)
		w->c.keys.at[i].public[0] = i ? B2 : A2;
	w->c.hosts.row = &w->row;
	w->c.hosts.n = 1;
	w->c.host_keys = &w->keys;
}

static void peers(void **state)
{
	struct wg_peer peer;
	struct world w;

	(void)state;
	begin(&w, 1);
	assert_true(crypt_wants_device(&w.c, 0, 0));
	assert_false(crypt_wants_device(&w.c, 0, 1)); /* no host has such a key */
	assert_false(crypt_wants_device(&w.c, 1, 0)); /* nor this one */
	assert_true(crypt_wants_peer(&w.c, 0, 0, 0, &peer));
	assert_false(crypt_wants_peer(&w.c, 0, 1, 0, &peer));
	assert_false(crypt_wants_peer(&w.c, 1, 0, 0, &peer));
	assert_true(crypt_wants_peer(&w.c, 0, 0, 0, &peer));
	assert_true(addr_equal(&peer.endpoint, &w.row.host.addr[TSW_IPV6]));
	assert_memory_equal(peer.allowed, w.row.host.addr, sizeof(peer.allowed));
	assert_int_equal(peer.key[0], A);
	/* Nobody has one: the devices are wanted still, by which the key is known. */
	w.keys = (struct tsw_host_keys){};
	assert_true(crypt_wants_device(&w.c, 0, 0));
	assert_false(crypt_wants_peer(&w.c, 0, 0, 0, &peer));
}

/* Of each pair the one's own parity is the other's of others: the ports meet. */
static void ports(void **state)
{
	unsigned int own, other;
	struct wg_peer peer;
	struct world w;

	(void)state;
	begin(&w, 2);
	w.keys.key[1][0] = B;
	crypt_each(own, other) {
		assert_true(crypt_wants_peer(&w.c, own, other, 0, &peer));
		assert_int_equal(peer.port, TSW_CRYPT_PORT_OF(51820, other, own));
	}
	assert_int_equal(TSW_CRYPT_PORT_OF(51820, 0, 1), 51821);
	assert_int_equal(TSW_CRYPT_PORT_OF(51820, 1, 0), 51822);
}

/* What is used or takes that's place is kept alive; what is old falls silent, so that it can go. */
static void alive(void **state)
{
	struct wg_peer peer;
	struct world w;
	unsigned int i;

	(void)state;
	begin(&w, 2);
	for (i = 0; i < 2; i++) { /* the second is coming */
		assert_true(crypt_wants_peer(&w.c, i, 0, 0, &peer));
		assert_int_not_equal(peer.keepalive, 0);
	}
	w.c.keys.used = 1;
	assert_true(crypt_wants_peer(&w.c, 0, 0, 0, &peer));
	assert_int_equal(peer.keepalive, 0);
	w.keys.key[1][0] = B;
	w.row.host.flags = TSW_HOST_ODD; /* and so is the host's first */
	assert_true(crypt_wants_peer(&w.c, 1, 0, 0, &peer));
	assert_int_equal(peer.keepalive, 0);
	assert_true(crypt_wants_peer(&w.c, 1, 1, 0, &peer));
	assert_int_not_equal(peer.keepalive, 0);
	w.row.host.flags |= TSW_HOST_COMING;
	assert_true(crypt_wants_peer(&w.c, 1, 0, 0, &peer));
	assert_int_not_equal(peer.keepalive, 0);
}

/* The kernel follows a host to where it is heard from: either of its addresses is as good. */
static void fits(void **state)
{
	struct wg_peer want, have;
	struct world w;

	(void)state;
	begin(&w, 1);
	assert_true(crypt_wants_peer(&w.c, 0, 0, 0, &want));
	have = want;
	assert_true(crypt_peer_fits(&have, &want, &w.row.host));
	have.endpoint = w.row.host.addr[TSW_IPV4];
	assert_true(crypt_peer_fits(&have, &want, &w.row.host));
	have.endpoint = addr("192.0.2.3");
	assert_false(crypt_peer_fits(&have, &want, &w.row.host));
	have.endpoint = (struct tsw_addr){};
	w.row.host.addr[TSW_IPV4] = have.endpoint;
	assert_false(crypt_peer_fits(&have, &want, &w.row.host));
	have = want;
	have.port++;
	assert_false(crypt_peer_fits(&have, &want, &w.row.host));
	have = want;
	have.odd = true;
	assert_false(crypt_peer_fits(&have, &want, &w.row.host));
	have = want;
	have.allowed[TSW_IPV4] = (struct tsw_addr){};
	assert_false(crypt_peer_fits(&have, &want, &w.row.host));
	have = want;
	have.keepalive = 0;
	assert_false(crypt_peer_fits(&have, &want, &w.row.host));
}

/* ---- messages --------------------------------------------------------------------- */

/* What is asked for reads as what was meant, with no network among the addresses. */
static void said_and_read(void **state)
{
	static const char *const endpoints[] = {"192.0.2.2", "2001:db8::2"};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		const struct wg_peer want = {.key = {A, 1, 2},
					     .endpoint = addr(endpoints[i]),
					     .port = 51821,
					     .keepalive = 25,
					     .allowed = {addr("192.0.2.2"), addr("2001:db8::2")}};
		cleanup_wg struct wg_device device = {};
		char buffer[NETLINK_BUFFER];
		struct nlmsghdr *request = wg_peer_request(buffer, 7, NULL, &want);
		const struct nlattr *attr =
			mnl_nlmsg_get_payload_offset(request, sizeof(struct genlmsghdr));

		assert_int_equal(mnl_attr_get_type(attr), WGDEVICE_A_IFINDEX);
		assert_int_equal(mnl_attr_get_u32(attr), 7);
		assert_int_equal(wg_read(request, &device), MNL_CB_OK);
		assert_int_equal(device.n, 1);
		assert_memory_equal(&device.peer[0], &want, sizeof(want));
	}
}

/* The peer that a request is about: what it says of it, and its flags. */
static __u32 said(const struct wg_peer *have, const struct wg_peer *want, struct wg_peer *peer)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = wg_peer_request(buffer, 7, have, want);
	cleanup_wg struct wg_device device = {};
	const struct nlattr *peers = NULL, *one, *attr;
	__u32 flags = ~0U;

	assert_int_equal(wg_read(request, &device), MNL_CB_OK);
	assert_int_equal(device.n, 1);
	*peer = device.peer[0];
	mnl_attr_for_each(attr, request, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == WGDEVICE_A_PEERS)
			peers = attr;
	assert_non_null(peers);
	mnl_attr_for_each_nested(one, peers)
		mnl_attr_for_each_nested(attr, one)
			if (mnl_attr_get_type(attr) == WGPEER_A_FLAGS)
				flags = mnl_attr_get_u32(attr);
	return flags;
}

/* No allowed IP is taken away for a moment that is to stay. */
static void says_what_differs(void **state)
{
	const struct tsw_addr v4 = addr("192.0.2.2"), v6 = addr("2001:db8::2"), none = {};
	const struct wg_peer want = {.key = {A, 1, 2},
				     .endpoint = v4,
				     .port = 51821,
				     .keepalive = 25,
				     .allowed = {v4, v6}};
	struct wg_peer have = want, peer;

	(void)state;
	have.keepalive = 0;
	assert_int_equal(said(&have, &want, &peer), 0);
	assert_int_equal(peer.keepalive, 25);
	assert_true(addr_is_none(&peer.endpoint));
	assert_memory_equal(&peer.allowed[TSW_IPV4], &none, sizeof(none));
	assert_memory_equal(&peer.allowed[TSW_IPV6], &none, sizeof(none));
	have = want;
	have.port++;
	assert_int_equal(said(&have, &want, &peer), 0);
	assert_memory_equal(&peer.endpoint, &v4, sizeof(v4));
	assert_true(addr_is_none(&peer.allowed[TSW_IPV4]));
	have = want;
	have.allowed[TSW_IPV6] = none;
	assert_int_equal(said(&have, &want, &peer), 0);
	assert_memory_equal(peer.allowed, want.allowed, sizeof(want.allowed));
	have.odd = true;
	assert_int_equal(said(&have, &want, &peer), WGPEER_F_REPLACE_ALLOWEDIPS);
	assert_memory_equal(peer.allowed, want.allowed, sizeof(want.allowed));
	have = want;
	have.allowed[TSW_IPV6] = addr("2001:db8::3");
	assert_int_equal(said(&have, &want, &peer), WGPEER_F_REPLACE_ALLOWEDIPS);
	assert_int_equal(said(NULL, &want, &peer), WGPEER_F_REPLACE_ALLOWEDIPS);
}

/* An answer's peer, and some of its allowed IPs. */
static void put_peer(struct nlmsghdr *message, const __u8 *key, const char *const *allowed,
		     __u8 bits)
{
	struct nlattr *peers = mnl_attr_nest_start(message, WGDEVICE_A_PEERS);
	struct nlattr *peer = mnl_attr_nest_start(message, 0), *all, *one;
	struct in_addr v4;

	mnl_attr_put(message, WGPEER_A_PUBLIC_KEY, TSW_CRYPT_KEY, key);
	all = mnl_attr_nest_start(message, WGPEER_A_ALLOWEDIPS);
	for (; *allowed; allowed++) {
		one = mnl_attr_nest_start(message, 0);
		assert_int_equal(inet_pton(AF_INET, *allowed, &v4), 1);
		mnl_attr_put_u16(message, WGALLOWEDIP_A_FAMILY, AF_INET);
		mnl_attr_put_u32(message, WGALLOWEDIP_A_IPADDR, v4.s_addr);
		mnl_attr_put_u8(message, WGALLOWEDIP_A_CIDR_MASK, bits);
		mnl_attr_nest_end(message, one);
	}
	mnl_attr_nest_end(message, all);
	mnl_attr_nest_end(message, peer);
	mnl_attr_nest_end(message, peers);
}

static struct nlmsghdr *answer(char *buffer, __u32 sequence)
{
	struct nlmsghdr *message = netlink_begin(buffer, 0, 0, sizeof(struct genlmsghdr));

	message->nlmsg_seq = sequence;
	return message;
}

/* A peer goes on in the next message; and all comes again where it changed meanwhile. */
static void in_parts(void **state)
{
	static const char *const first[] = {"192.0.2.2", NULL},
				 *const second[] = {"192.0.2.3", NULL}, *const none[] = {NULL};
	const struct tsw_key a = key_of(A), b = key_of(B);
	cleanup_wg struct wg_device device = {};
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *message = answer(buffer, 5);

	(void)state;
	put_peer(message, b.octet, first, 32);
	wg_read(message, &device);
	assert_int_equal(device.n, 1);
	assert_false(device.peer[0].odd);
	message = answer(buffer, 5);
	put_peer(message, b.octet, second, 32); /* one address more than a host has */
	put_peer(message, a.octet, none, 32);
	wg_read(message, &device);
	assert_int_equal(device.n, 2);
	assert_true(device.peer[0].odd);
	message = answer(buffer, 6);
	put_peer(message, a.octet, first, 24);
	wg_read(message, &device);
	assert_int_equal(device.n, 1);
	assert_memory_equal(device.peer[0].key, a.octet, TSW_CRYPT_KEY);
	assert_true(device.peer[0].odd); /* a network */
}

/* The MTU of the way to a host: the least of its route's and of its underlay's, less encryption. */
static void ways(void **state)
{
	static const struct {
		__u32 route, underlay, clear, encrypted;
	} all[] = {
		{0, 0, 0, 0},
		{0, 1500, 1500, 1420},
		{1400, 0, 1400, 1320},
		{1400, 1500, 1400, 1320},
		{9000, 1500, 1500, 1420},
		{1500, 1500, 1500, 1420},
	};
	struct tsw t = {};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		t.config.flags = 0;
		assert_int_equal(host_mtu(&t, all[i].route, all[i].underlay), all[i].clear);
		t.config.flags = TSW_CFG_ENCRYPT;
		assert_int_equal(host_mtu(&t, all[i].route, all[i].underlay), all[i].encrypted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),
		cmocka_unit_test(no_key),
		cmocka_unit_test(planned),
		cmocka_unit_test(peers),
		cmocka_unit_test(ports),
		cmocka_unit_test(alive),
		cmocka_unit_test(fits),
		cmocka_unit_test(said_and_read),
		cmocka_unit_test(says_what_differs),
		cmocka_unit_test(in_parts),
		cmocka_unit_test(ways),
	};

	return cmocka_run_group_tests_name("crypt", tests, NULL, NULL);
}
