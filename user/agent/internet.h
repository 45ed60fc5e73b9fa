/* SPDX-License-Identifier: GPL-2.0-only */
/* This host's way to the world. */
#ifndef TSW_AGENT_INTERNET_H
#define TSW_AGENT_INTERNET_H

#include <stdbool.h>

/*
 * The kernel has a route to a public address, IPv4 or IPv6, by a device that has a carrier. Asked
 * are the kernel's tables; nothing is sent.
 */
bool internet_is_reached(void);

#endif
