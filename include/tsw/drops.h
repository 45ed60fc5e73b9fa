/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every reason for which the switch drops a frame, once: this list makes the
 * enum, the words that the command prints, its JSON and the check that
 * docs/troubleshooting.md explains each. Append only: the numbers are in pinned maps.
 */
#ifndef TSW_DROPS_H
#define TSW_DROPS_H

#if defined(__cplusplus) && !defined(_Static_assert)
#define _Static_assert static_assert
#endif

#define TSW_DROP_REASONS(X)                           \
	X(SPOOFED_MAC, "spoofed_mac")                 \
	X(SPOOFED_IP, "spoofed_ip")                   \
	X(UNKNOWN_DESTINATION, "unknown_destination") \
	X(UNKNOWN_HOST, "unknown_host")               \
	X(WRONG_HOST, "wrong_host")                   \
	X(TOO_BIG, "too_big")                         \
	X(TRUNCATED, "truncated")                     \
	X(NOT_STAMPED, "not_stamped")                 \
	X(NO_ROUTE, "no_route")                       \
	X(RATE_LIMITED, "rate_limited")               \
	X(ECN_INVALID, "ecn_invalid")                 \
	X(NOT_PEERED, "not_peered")                   \
	X(VLAN_TAGGED, "vlan_tagged")                 \
	X(RESERVED_MULTICAST, "reserved_multicast")   \
	X(BAD_TUNNEL_HEADER, "bad_tunnel_header")     \
	X(BROADCAST_OFF, "broadcast_off")             \
	X(NO_SLOW_PATH, "no_slow_path")               \
	X(UNKNOWN_PORT, "unknown_port")               \
	X(UNKNOWN_TENANT, "unknown_tenant")           \
	X(UNVERIFIED_TUNNEL, "unverified_tunnel")     \
	X(INTERNAL, "internal")                       \
	X(DEVICE_GONE, "device_gone")                 \
	X(BAD_OFFLOAD, "bad_offload")                 \
	X(OUTER_FRAGMENT, "outer_fragment")           \
	X(OUTER_OPTIONS, "outer_options")             \
	X(BAD_CHECKSUM, "bad_checksum")               \
	X(NO_GATEWAY, "no_gateway")                   \
	X(HOST_ADDRESS, "host_address")               \
	X(TTL_EXPIRED, "ttl_expired")                 \
	X(FORGED_METADATA, "forged_metadata")         \
	X(FOREIGN_TUNNEL, "foreign_tunnel")           \
	X(UNTRUSTED_MTU, "untrusted_mtu")             \
	X(FOREIGN_FLOW, "foreign_flow")               \
	X(CONNECTIONS_FULL, "connections_full")       \
	X(HALF_OPEN_FULL, "half_open_full")           \
	X(NEIGHBOURS_FULL, "neighbours_full")         \
	X(ROGUE_SERVER, "rogue_server")               \
	X(NOT_HERE_YET, "not_here_yet")               \
	X(BAD_PROBE, "bad_probe")                     \
	X(POLICY_DENIED, "policy_denied")             \
	X(POLICY_FULL, "policy_full")                 \
	X(CRITICAL_OPTION, "critical_option")         \
	X(NOT_ENCRYPTED, "not_encrypted")             \
	X(SNAP, "snap")                               \
	X(GROUP_UNICAST, "group_unicast")             \
	X(NO_UPLINK, "no_uplink")                     \
	X(BAD_STATE, "bad_state")                     \
	X(FRAGMENTS_FULL, "fragments_full")

enum tsw_drop {
	TSW_DROP_NONE,
#define TSW_X(id, word) TSW_DROP_##id,
	TSW_DROP_REASONS(TSW_X)
#undef TSW_X
		TSW_DROP_MAX
};

/* Where the frame was on its way when it was dropped. */
#define TSW_DIRECTIONS(X)                 \
	X(FROM_ENDPOINT, "from_endpoint") \
	X(TO_ENDPOINT, "to_endpoint")     \
	X(FROM_TUNNEL, "from_tunnel")     \
	X(FROM_GATEWAY, "from_gateway")   \
	X(TO_TUNNEL, "to_tunnel")         \
	X(TO_GATEWAY, "to_gateway")

enum tsw_direction {
#define TSW_X(id, word) TSW_DIR_##id,
	TSW_DIRECTIONS(TSW_X)
#undef TSW_X
		TSW_DIR_MAX
};

#endif
