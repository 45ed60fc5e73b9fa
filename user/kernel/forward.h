/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_FORWARD_H
#define TSW_FORWARD_H

#include <linux/types.h>

/*
 * Turns IPv6 forwarding on for one device. The host keeps the routes that it learned from routers.
 * Returns -errno without message.
 */
int forward_ipv6(__u32 ifindex);

/* Calls FN, which turns forwarding on, and keeps learned routes meanwhile. Returns FN's result. */
int forward_shielded(int (*fn)(void *data), void *data);

#endif
