/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration of a switch that is up, and whether this tsw can use it. */
#ifndef TSW_STORE_CONFIG_H
#define TSW_STORE_CONFIG_H

#include "store/tsw.h"

/* Writes t->config: programs see the old one or the new one. */
int config_put(const struct tsw *t);

/* -ENOENT with the message that no switch is up. */
int config_no_switch(const struct tsw *t);
/* The same, or what else must be the cause where some of its pins are not there. */
int config_lacks_pins(const struct tsw *t);

/* Reads t->config as today's, of whatever ABI that this tsw knows; -ENOENT: config_no_switch(). */
int config_read(struct tsw *t);

/* The switch has this version of the layout; T->config.abi is what it has. */
int config_check_abi(const struct tsw *t);

/* The switch is in this network namespace; elsewhere it can be read only. */
int config_check_netns(const struct tsw *t);

/*
 * What the programs learned of flows, and what they have copies of, is of before a change: the next
 * frames go by the router's rules and by the maps.
 */
int config_forget_flows(const struct tsw *t);

#endif
