/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether this host has a route to the internet. */
#ifndef TSW_AGENT_INTERNET_H
#define TSW_AGENT_INTERNET_H

#include <stdbool.h>

/*
 * Does the kernel have a route to a public address, IPv4 or IPv6, by a device with a carrier? Looks
 * only at the kernel's tables and sends nothing.
 */
bool internet_is_reached(void);

#endif
