/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether this host has a route to the internet. */
#ifndef TSW_AGENT_INTERNET_H
#define TSW_AGENT_INTERNET_H

#include "agent/rank.h"
#include "store/tsw.h"

/*
 * Does the kernel have a route to a public address, IPv4 or IPv6, by a device with a carrier? Looks
 * only at the kernel's tables and sends nothing. Writes it into LIFE, and for hosts that ask into
 * the switch's maps. A host that never had a route needs none: its tenants reach only the uplink's
 * own network. True: it has changed.
 */
bool internet_step(const struct tsw *t, struct life_of *life);

#endif
