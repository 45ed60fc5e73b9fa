/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an answer of DHCP tells, as text. Read anew here, from RFC 2131, RFC 2132 and RFC 8415, and
 * without the switch's own headers, so that the two can disagree.
 */
#ifndef TSW_TESTS_TOLD_H
#define TSW_TESTS_TOLD_H

#include "frame.h"

#define TOLD_TEXT 512

/*
 * "TYPE to IP [for all] of SERVER you YIADDR ci CIADDR OPTION...", but option 53 each as
 * CODE:VALUE; "TYPE to IP of ROUTER OPTION...". False: it is no sound answer, for A.
 */
bool told_dhcp(const struct frame *f, char *text);
bool told_dhcp6(const struct frame *f, char *text);

#endif
