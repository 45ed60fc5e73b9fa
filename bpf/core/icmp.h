/* SPDX-License-Identifier: GPL-2.0-only */
/* Types of ICMP and ICMPv6. linux/icmp.h needs the C library's headers. */
#ifndef TSW_BPF_CORE_ICMP_H
#define TSW_BPF_CORE_ICMP_H

#include "core/base.h"

/* RFC 792, RFC 1191 */
#define ICMP_ECHOREPLY 0
#define ICMP_DEST_UNREACH 3
#define ICMP_FRAG_NEEDED 4 /* a code of it */
#define ICMP_SOURCE_QUENCH 4
#define ICMP_REDIRECT 5
#define ICMP_ECHO 8
#define ICMP_TIME_EXCEEDED 11
#define ICMP_PARAMETERPROB 12

/* RFC 4443 */
#define ICMPV6_PKT_TOOBIG 2
#define ICMPV6_INFORMATIONAL 128 /* types below it are errors: section 2.1 */
#define ICMPV6_ECHO_REQUEST 128
#define ICMPV6_ECHO_REPLY 129

/*
 * A packet is too big: an error of both kinds. ICMP has the MTU in the lower 16 bits of the last
 * word, after 16 zero bits (RFC 1191 section 4).
 */
struct icmp_too_big {
	__u8 type, code;
	__u16 check;
	__be32 mtu;
};

#endif
