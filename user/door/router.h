/* SPDX-License-Identifier: GPL-2.0-only */
/* The switch's router: a network namespace that forwards, with a table of nftables of its own. */
#ifndef TSW_ROUTER_H
#define TSW_ROUTER_H

#include <jansson.h>

#include "store/tsw.h"

/* Registers that of this switch for the thread, or that there is none, see netns.h. */
void router_register(const struct tsw *t);

/* Makes it where it is missing, notes it in the configuration, and registers it. */
int router_make(struct tsw *t);

/* Its settings below /proc/sys/net, its loopback device. Again behind nftables' table. */
int router_configure(const char *instance);

/* What was noted is forgotten behind it. */
int router_remove(struct tsw *t);

/*
 * Takes away those of switches that are gone, and with them their devices, as one that was killed
 * leaves them. DRY: it does not. Either way they are appended.
 */
int routers_sweep(const struct tsw *t, bool dry, json_t *removed);

/* Appends what is not as it should be. */
int router_check(const struct tsw *t, json_t *problems);

#endif
