/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The router's settings below /proc/sys/net. A new network namespace has the kernel's defaults.
 * Most are set as on the host, and some as the router needs them. The programs count tenants'
 * shares by conntrack's timeouts.
 */
#ifndef TSW_DOOR_SETTINGS_H
#define TSW_DOOR_SETTINGS_H

#include <jansson.h>

#include "store/tsw.h"

/* Writes settings that differ. The thread must be in the host's namespace. */
int settings_follow(void);

/* Do the programs count by the host's timeouts? settings_count() makes them do so. */
bool settings_are_counted(const struct tsw *t);
int settings_count(const struct tsw *t);

/*
 * Returns the seconds that the router's nf_conntrack_NAME should have. -ENOENT without message: the
 * kernel has no such setting.
 */
int settings_timeout(const char *name);

/* Appends a problem for each setting that differs. */
int settings_check(const struct tsw *t, json_t *problems);

#endif
