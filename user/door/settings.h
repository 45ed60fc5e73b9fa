/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The router's settings below /proc/sys/net. A new network namespace has the kernel's own: most are
 * made the host's, some are what the router needs. By conntrack's timeouts the programs count
 * tenants' shares.
 */
#ifndef TSW_DOOR_SETTINGS_H
#define TSW_DOOR_SETTINGS_H

#include <jansson.h>

#include "store/tsw.h"

/* Makes them what they should be. The thread is in the host's namespace. */
int settings_follow(void);

/* Do the programs count by the host's timeouts? And makes them do so. */
bool settings_are_counted(const struct tsw *t);
int settings_count(const struct tsw *t);

/*
 * The seconds that the router's nf_conntrack_NAME should have. -ENOENT, without message: the kernel
 * has no such setting.
 */
int settings_timeout(const char *name);

/* Appends what differs. */
int settings_check(const struct tsw *t, json_t *problems);

#endif
