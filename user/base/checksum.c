// SPDX-License-Identifier: GPL-2.0-only
#include "base/checksum.h"

__u32 checksum_add(const void *octets, __u32 len, __u32 sum)
{
	const __u8 *p = octets;
	__u32 i;

	for (i = 0; i < len; i++) {
		sum += i & 1 ? p[i] : (__u32)p[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (sum & 0xffff) + (sum >> 16);
}

__u16 checksum(const void *octets, __u32 len, __u32 sum)
{
	return (__u16)~checksum_add(octets, len, sum);
}
