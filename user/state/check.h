/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks a state as a whole, without the maps and the kernel. */
#ifndef TSW_STATE_CHECK_H
#define TSW_STATE_CHECK_H

#include "state/state.h"

/* -EINVAL, by misuse() with the path of the mistake; or -ENOMEM. */
int state_check(const struct state *s);

/* The same for what concerns several tenants: published ports, peerings, networks. */
int state_check_tenants(const struct state *s);

/*
 * Makes the state that of host NAME, which must be one of its hosts. Other hosts' devices and
 * published ports are removed from it.
 */
int state_take_own(struct state *s, const char *name);

#endif
