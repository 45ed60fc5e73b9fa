/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The changes that make one state the other. They have an order in which no change needs a later
 * one, or is refused because a later one did not happen yet. At no moment can a frame come to
 * another tenant. Asks neither the maps nor the kernel.
 *
 * 1. Deletes what goes for good or for a moment: peerings, published ports, gateways, endpoints,
 *    tenants, hosts. A tenant with another id is a new tenant: the old one goes with all its parts.
 * 2. Changes objects that have what others need, as an endpoint that gives its address away. Before
 *    them: new groups, and new or changed rules, of tenants that exist.
 * 3. Changes the switch itself, hosts, tenants, and the other endpoints and gateways.
 * 4. Deletes hosts without endpoints, and rules and groups without users. Then come tenants with a
 *    larger MTU, and those whose policy begins or denies more, as its rules are complete by then.
 * 5. Adds what is new or was away: tenants, groups, rules, endpoints, gateways, published ports,
 *    peerings.
 *
 * Groups and rules go with their tenant. An object that both gives to others and gets from them, as
 * two endpoints that swap devices, goes in step 1 and is made again in step 5.
 */
#ifndef TSW_STATE_DIFF_H
#define TSW_STATE_DIFF_H

#include "record/fields.h"
#include "state/state.h"

enum change_what { CHANGE_ADD, CHANGE_SET, CHANGE_DEL };

/* Indices in both states. A gateway has its tenant's, and the switch its host's. */
struct change {
	__u8 what;   /* enum change_what */
	__u8 object; /* enum object_kind */
	__u32 have;  /* STATE_NONE with CHANGE_ADD */
	__u32 want;  /* STATE_NONE with CHANGE_DEL */
};

struct changes {
	struct change *all;
	size_t n;
};

void changes_free(struct changes *c);

/*
 * Both states have an `own`, or both are `whole`. WANT was checked by state_check(). If no switch is
 * up, `given` of the own host of HAVE is 0.
 */
int state_diff(const struct state *have, const struct state *want, struct changes *c);

#endif
