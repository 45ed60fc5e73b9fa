/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ABI 4 had otherwise than today, as it was. Never changed; selftests/abi/4 has the layout of
 * all its maps.
 */
#ifndef TSW_TESTS_ABI4_H
#define TSW_TESTS_ABI4_H

#include <linux/types.h>

struct abi4_underlay {
	__u32 ifindex;
	__u16 xdp;
	__u16 flags;
};

struct abi4_config {
	__u32 abi;
	__u32 flags;
	__u64 secret;
	__be32 local[2][4];
	struct abi4_underlay underlay[8];
	__u32 tunnel;
	__u32 gre[2];
	__be16 port;
	__u16 attach;
	__u32 xdp_asked;
	__u32 max_endpoints;
	__u32 max_tenants;
	__u32 netns;
	__u32 flags_asked;
	__u32 gateway;
	char name[64];
	__u32 version;
	__u32 pad;
	__u64 build;
};

_Static_assert(sizeof(struct abi4_config) == 232, "ABI 4");

#endif
