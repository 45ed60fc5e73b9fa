/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Settings below /proc/sys/net that the router has as the host has them: how ICMP errors are
 * limited and with how many hops they begin, how fragments wait, what conntrack looks at. A new
 * network namespace has the kernel's own values instead.
 */
#ifndef TSW_INHERIT_H
#define TSW_INHERIT_H

#include <jansson.h>

/* Makes the router's those of the host, whose namespace the thread is in. */
int inherit_settings(void);

/* Appends what differs. ROUTER: its name. */
int inherit_check(const char *router, json_t *problems);

#endif
