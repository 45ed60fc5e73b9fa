/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what was read right as a whole? Asks neither the maps nor the kernel. */
#ifndef TSW_STATE_CHECK_H
#define TSW_STATE_CHECK_H

#include "state/state.h"

/* -EINVAL, by misuse() with the path of what is wrong, or -ENOMEM. */
int state_check(const struct state *s);

/* The same for what tenants share with each other: published ports, peerings, networks. */
int state_check_tenants(const struct state *s);

/*
 * It stands for the host NAME from now on, which must be one of its hosts: what is other hosts'
 * own affair, their devices and published ports, goes.
 */
int state_take_own(struct state *s, const char *name);

#endif
