/* SPDX-License-Identifier: GPL-2.0-only */
/* The switch's router: a network namespace that forwards, with its own nftables table. */
#ifndef TSW_ROUTER_H
#define TSW_ROUTER_H

#include <jansson.h>

#include "store/tsw.h"

/* Registers this switch's router for the thread, or that it has no router; see netns.h. */
void router_register(const struct tsw *t);

/* Makes it if it is missing, writes it to the configuration, and registers it. */
int router_make(struct tsw *t);

/*
 * Writes its settings below /proc/sys/net and sets up its loopback device. Call it again after
 * nftables' table was made, which adds settings.
 */
int router_configure(const char *instance);

/* Removes it, and then its entry in the configuration. */
int router_remove(struct tsw *t);

/*
 * Removes routers of switches that are gone, as a killed command leaves them, with their devices.
 * Appends each to REMOVED. DRY: removes none.
 */
int routers_sweep(const struct tsw *t, bool dry, json_t *removed);

/* Appends a problem if the router is missing or was replaced. */
int router_check(const struct tsw *t, json_t *problems);

#endif
