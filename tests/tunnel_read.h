/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a tunnel frame's outer headers, without the switch's own code. */
#ifndef TSW_TESTS_TUNNEL_READ_H
#define TSW_TESTS_TUNNEL_READ_H

#include "frame.h"

#define MAC_LEN 6
#define ETHER_HEADER 14

/* What outer headers say, in which nothing is odd. */
struct seen {
	__u32 tenant;
	bool gre, geneve, v6;
	__u8 ends[2][16]; /* from, to */
	__u8 tos;
	size_t inner, end; /* offsets */
};

static inline __u32 get16(const __u8 *b)
{
	return b[0] << 8 | b[1];
}

/* True: it is a tunnel frame in which nothing is odd, all of it there. */
bool tunnel_read(const struct frame *f, struct seen *s);

#endif
