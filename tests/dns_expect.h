/* SPDX-License-Identifier: GPL-2.0-only */
/* The names that packet_dns.c gives red's endpoints, and what is to be told of any name. */
#ifndef TSW_TESTS_DNS_EXPECT_H
#define TSW_TESTS_DNS_EXPECT_H

#include <stdbool.h>

#define RED_DOMAIN "red.tsw.internal"

#define IP4_NAME(last) last ".0.0.10.in-addr.arpa"
#define IP6_NAME(last) \
	last ".0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa"

/* TOLD, as told_dns() has it, is what is to be told of its own question. */
bool dns_is_expected(const char *told);

#endif
