/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration of a switch that is up, and whether this tsw can use it. */
#ifndef TSW_STORE_CONFIG_H
#define TSW_STORE_CONFIG_H

#include "store/tsw.h"

/* Writes t->config. Programs see either the old or the new one, never a mixture. */
int config_put(const struct tsw *t);

/* Fails with -ENOENT: no switch is up. */
int config_no_switch(const struct tsw *t);
/* Fails with -ENOENT and the reason why pins are missing. */
int config_lacks_pins(const struct tsw *t);

/*
 * Reads t->config, and converts it from an older known ABI to today's layout. -ENOENT with the
 * message of config_lacks_pins().
 */
int config_read(struct tsw *t);

/* Fails if t->config.abi is not the version of this tsw. */
int config_check_abi(const struct tsw *t);

/* Fails if the switch is in another network namespace, from where it can only be read. */
int config_check_netns(const struct tsw *t);

/*
 * Makes the programs forget the flows that they have learned and the entries that they have cached.
 * The next frames use the router's rules and the maps again.
 */
int config_forget_flows(const struct tsw *t);

#endif
