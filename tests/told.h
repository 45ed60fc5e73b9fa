/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an answer of DHCP or DNS tells, as text. Read anew here, from RFC 2131, RFC 2132, RFC 8415,
 * RFC 1035 and RFC 6891, and without the switch's own headers, so that the two can disagree.
 */
#ifndef TSW_TESTS_TOLD_H
#define TSW_TESTS_TOLD_H

#include "frame.h"

#define TOLD_TEXT 2048

/*
 * "TYPE to IP [for all] of SERVER you YIADDR ci CIADDR [next SIADDR] OPTION... [file NAME]", but
 * option 53 each as CODE:VALUE; "TYPE to IP of ROUTER OPTION...". False: it is no sound answer,
 * for A.
 */
bool told_dhcp(const struct frame *f, char *text);
bool told_dhcp6(const struct frame *f, char *text);

/*
 * "RCODE[,aa][,rd][,cd][,opt] NAME TYPE | TYPE VALUE..." or, where nothing is told, "~ SOA ZONE";
 * or "reset seq S [ack A]" of TCP. False: it is no sound answer to A, of 512 octets at most.
 */
bool told_dns(const struct frame *f, char *text);

/* For these: what stands in an answer, in network byte order, and a piece more of a text. */
__u16 told_half(const __u8 *b);
__u32 told_word(const __u8 *b);
void told_say(char *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
