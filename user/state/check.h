/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks a state as a whole, without the maps and the kernel. */
#ifndef TSW_STATE_CHECK_H
#define TSW_STATE_CHECK_H

#include "state/state.h"

/* -EINVAL by misuse(), whose message has the path of the mistake; or -ENOMEM. */
int state_check(const struct state *s);

/* The part of state_check() for published ports and peerings, across tenants. */
int state_check_tenants(const struct state *s);

/* Does the tenant have a gateway with an address of that family? */
bool state_gateway_serves(const struct state_tenant *tenant, enum tsw_family family);

/*
 * Makes the host NAME the own one of the state. Removes other hosts' devices and published ports.
 * -EINVAL by misuse(): the state has no such host.
 */
int state_take_own(struct state *s, const char *name);

#endif
