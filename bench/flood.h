/* SPDX-License-Identifier: GPL-2.0-only */
/* What the flood's program is told, and what it tells. */
#ifndef TSW_BENCH_FLOOD_H
#define TSW_BENCH_FLOOD_H

#include <linux/types.h>

#define FLOOD_HEADERS 72 /* from the frame's first octet: all that varies is in them */

/* What differs from frame to frame. All in host order, offsets in octets. */
struct flood {
	__u64 interval; /* nanoseconds from one frame to the next; 0: as fast as can be */
	__u32 from;	/* the source address' last 32 bits */
	__u32 from_any; /* those of them that are random */
	__u32 from_at;
	__u32 check;	/* sum of the IPv4 header without what varies */
	__u32 check_at; /* 0: IPv6, which has no header checksum */
	__u32 sport_at; /* 0: GRE, which has no ports */
	__u32 id;	/* the first VNI or key */
	__u32 ids;	/* and how many there are to choose from */
	__u32 id_shift; /* 8 for a VNI: an octet follows it in its word */
	__u32 id_at;
};

#endif
