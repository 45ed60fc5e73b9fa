/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ABI 5 had otherwise than today, as it was. Never changed; selftests/abi/5 has the layout of
 * all its maps.
 */
#ifndef TSW_TESTS_ABI5_H
#define TSW_TESTS_ABI5_H

#include <linux/types.h>

struct abi5_prefix {
	__be32 addr[4];
	__u32 len;
};

struct abi5_gateway {
	__u64 drain_until;
	__u32 index;
	__u32 flags;
	__u32 host;
	__u32 old;
	__u8 mac[6];
	__u8 pad[2];
	__u32 n_addrs;
	struct abi5_prefix addr[8];
	__be32 snat[2][4];
};

_Static_assert(sizeof(struct abi5_gateway) == 232, "ABI 5");

#endif
