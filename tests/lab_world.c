// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <string.h>

#include "base/clock.h"
#include "lab_world.h"

void lab_uplink(__u32 ifindex, __u32 slot)
{
	const struct tsw_uplink_net any = {TSW_UPLINK_ANY, ifindex, {}};

	lab_set(M_UPLINK_SLOTS, &any, &slot);
}

void lab_uplink_net(__u32 ifindex, const char *next_hop, __u32 slot)
{
	struct tsw_uplink_net net = {TSW_UPLINK_ANY + 128, ifindex, {}};

	frame_ip((__u8 *)&net.addr, next_hop);
	lab_set(M_UPLINK_SLOTS, &net, &slot);
}

void lab_uplink_addr(const char *ip, __u32 ifindex)
{
	struct tsw_addr addr;

	frame_ip((__u8 *)&addr, ip);
	lab_set(M_UPLINK_ADDRS, &addr, &ifindex);
}

void lab_publish(enum tsw_family family, __u8 proto, __u32 port, __u32 tenant)
{
	const struct tsw_publish_key key = {.family = family, .proto = proto, .port = port};
	struct tsw_publish to = {.tenant = tenant, .port = 80};

	frame_ip((__u8 *)&to.addr, family == TSW_IPV6 ? IP6_A : IP_A);
	lab_set(M_PUBLISH, &key, &to);
}

void lab_routed(const char *ip, __u32 len, __u32 tenant)
{
	struct tsw_routed_key key = {};

	key.len = len + (frame_ip((__u8 *)&key.addr, ip) ? 0 : 96);
	lab_set(M_ROUTED, &key, &tenant);
}

void lab_snat_user(const char *ip)
{
	const __u32 one = 1;
	struct tsw_addr addr;

	frame_ip((__u8 *)&addr, ip);
	lab_set(M_SNAT_USERS, &addr, &one);
}

static void asked_key(const char *peer, const char *own, __u8 proto, __u16 id,
		      struct tsw_asked_key *key)
{
	*key = (struct tsw_asked_key){.proto = proto, .id = htons(id)};
	frame_ip((__u8 *)&key->peer, peer);
	frame_ip((__u8 *)&key->own, own);
}

static void set_asked(const struct tsw_asked_key *key, __u32 seconds_ago)
{
	const __u64 when = clock_ns(CLOCK_MONOTONIC) - seconds_ago * SECOND_NS;

	lab_set(M_ASKED, key, &when);
}

void lab_asked(const char *peer, const char *own, __u8 proto, __u16 id, __u32 seconds_ago)
{
	struct tsw_asked_key key;

	asked_key(peer, own, proto, id, &key);
	set_asked(&key, seconds_ago);
}

void lab_asked_sctp(const char *peer, __u16 peer_port, const char *own, __u16 own_port)
{
	struct tsw_asked_key key;

	asked_key(peer, own, IPPROTO_SCTP, 0, &key);
	key.id = (__u32)htons(own_port) << 16 | htons(peer_port);
	set_asked(&key, 0);
}

void lab_expected(const char *peer, const char *own, __u8 proto, __u16 port,
		  const struct tsw_expected *as)
{
	struct tsw_asked_key key;

	asked_key(peer, own, proto, port, &key);
	lab_set(M_EXPECTED, &key, as);
}

bool lab_asked_is(const char *peer, const char *own, __u8 proto, __u32 id)
{
	struct tsw_asked_key want, got, next;
	__u64 when = 0;

	asked_key(peer, own, proto, 0, &want);
	want.id = id;
	return !bpf_map_get_next_key(lab_map(M_ASKED), NULL, &got) &&
	       !memcmp(&got, &want, sizeof(got)) &&
	       !bpf_map_lookup_elem(lab_map(M_ASKED), &got, &when) && when &&
	       bpf_map_get_next_key(lab_map(M_ASKED), &got, &next);
}

bool lab_asked_is_empty(void)
{
	struct tsw_asked_key key;

	return bpf_map_get_next_key(lab_map(M_ASKED), NULL, &key) != 0;
}
