/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of the ABI that is about conntrack's timeouts. See abi.h, which has this. */
#ifndef TSW_ABI_TIMEOUT_H
#define TSW_ABI_TIMEOUT_H

#include <linux/types.h>

/*
 * tsw_timeouts: entry 0 of an array: the seconds for which the router's conntrack keeps an entry,
 * by its state. They are the host's, by its settings net.netfilter.nf_conntrack_*: see
 * user/door/settings.c. With each the kernel's default, which holds where an entry is 0.
 */
#define TSW_TIMEOUTS(X)                                                     \
	X(TCP_ESTABLISHED, 432000)                                          \
	X(TCP_CLOSE_WAIT, 60)                                               \
	X(UDP, 30)                                                          \
	X(UDP_STREAM, 120)                                                  \
	X(TCP_SYN_SENT, 30)                                                 \
	X(TCP_SYN_RECV, 30)                                                 \
	X(TCP_CLOSING, 120) /* the longest after the FINs but close_wait */ \
	X(TCP_CLOSE, 10)                                                    \
	X(ICMP, 30)                                                         \
	X(ICMPV6, 30)                                                       \
	X(SCTP, 432000) /* the longest, as the next two */                  \
	X(DCCP, 43200)                                                      \
	X(GRE, 180)                                                         \
	X(GENERIC, 600)                                                     \
	X(SIP, 3600) /* UDP that its helper reads: not a setting of conntrack's */

#define TSW_TIMEOUT_OWN 4	    /* the first of them a tenant may have other than the host */
#define TSW_TIMEOUT_ROOM 16	    /* a power of two, for the verifier */
#define TSW_TIMEOUT_HALF_OPEN 30U   /* SYN_SENT and SYN_RECV are no longer than this */
#define TSW_TIMEOUT_MOST (1U << 28) /* seconds; more does not fit TSW_CONN_UNTIL */

enum tsw_timeout {
#define X(NAME, seconds) TSW_TIMEOUT_##NAME,
	TSW_TIMEOUTS(X)
#undef X
		TSW_TIMEOUT_COUNT
};

struct tsw_timeouts {
	__u32 seconds[TSW_TIMEOUT_ROOM]; /* enum tsw_timeout */
};

_Static_assert((int)TSW_TIMEOUT_COUNT <= TSW_TIMEOUT_ROOM, "ABI");
_Static_assert(sizeof(struct tsw_timeouts) == 64, "ABI");

#endif
