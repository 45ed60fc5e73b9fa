/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration of a switch that is up, and whether this tsw can use it. */
#ifndef TSW_STORE_CONFIG_H
#define TSW_STORE_CONFIG_H

#include "store/tsw.h"

/* Writes t->config. Programs see the old one or the new one, nothing in between. */
int config_put(const struct tsw *t);

/* Fails with -ENOENT: no switch is up. */
int config_no_switch(const struct tsw *t);
/* Fails with -ENOENT and the reason why pins are missing. */
int config_lacks_pins(const struct tsw *t);

/* Reads t->config from any known ABI in today's layout; -ENOENT as config_lacks_pins(). */
int config_read(struct tsw *t);

/* Fails if T->config.abi is not this version. */
int config_check_abi(const struct tsw *t);

/* Fails if the switch is in another network namespace, from where it can only be read. */
int config_check_netns(const struct tsw *t);

/*
 * Makes the programs forget what they learned of flows and their cached copies. The next frames go
 * by the router's rules and the maps again.
 */
int config_forget_flows(const struct tsw *t);

#endif
