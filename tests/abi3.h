/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ABI 3 had otherwise than today, as it was. Never changed; selftests/abi/3 has the layout of
 * all its maps.
 */
#ifndef TSW_TESTS_ABI3_H
#define TSW_TESTS_ABI3_H

#include <linux/types.h>

struct abi3_underlay {
	__u32 ifindex;
	__u16 xdp;
	__u16 flags;
};

struct abi3_config {
	__u32 abi;
	__u32 flags;
	__u64 secret;
	__be32 local[2][4];
	struct abi3_underlay underlay[8];
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
};

_Static_assert(sizeof(struct abi3_config) == 216, "ABI 3");

#endif
