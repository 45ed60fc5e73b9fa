/* SPDX-License-Identifier: GPL-2.0-only */
/* The Internet checksum (RFC 1071), of octets as they are on the wire. */
#ifndef TSW_CHECKSUM_H
#define TSW_CHECKSUM_H

#include <linux/types.h>

/* LEN octets on top of SUM, which so grows part by part; all parts but the last are even. */
__u32 checksum_add(const void *octets, __u32 len, __u32 sum);

/* The same, complemented, in host order: 0 where a checksum that was summed up, too, is right. */
__u16 checksum(const void *octets, __u32 len, __u32 sum);

#endif
