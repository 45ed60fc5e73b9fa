/* SPDX-License-Identifier: GPL-2.0-only */
/* The Internet checksum (RFC 1071), of octets as they are on the wire. */
#ifndef TSW_CHECKSUM_H
#define TSW_CHECKSUM_H

#include <linux/types.h>

/* Adds LEN octets to SUM. Data may come in parts; each but the last has an even length. */
__u32 checksum_add(const void *octets, __u32 len, __u32 sum);

/* The complement of that sum, in host order. Over data with a correct checksum it is 0. */
__u16 checksum(const void *octets, __u32 len, __u32 sum);

#endif
