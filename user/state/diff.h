/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The changes that turn one state into another. They have an order in which no change needs a later
 * one, or is refused because a later one has not happened yet. At no moment can a frame reach
 * another tenant. state_diff() asks neither the maps nor the kernel.
 *
 * 1. Delete objects that go for good or that step 5 makes again: peerings, published ports,
 *    gateways, endpoints, tenants, hosts. A tenant with another id is a new tenant, and the old one
 *    goes with all its parts.
 * 2. Change objects that have what others need, for example an endpoint that gives its address
 *    away. Before them add new groups, and add or change rules, of existing tenants.
 * 3. Change the switch itself, hosts, tenants, and the other endpoints and gateways.
 * 4. Delete hosts without endpoints, and rules and groups without users. Then change tenants with a
 *    larger MTU, and tenants whose policy begins or denies more: its rules are complete by then.
 * 5. Add new objects and those that step 1 deleted for a moment: tenants, groups, rules, endpoints,
 *    gateways, published ports, peerings.
 *
 * Groups and rules go with their tenant. An object that both gives to others and gets from them,
 * such as each of two endpoints that swap devices, goes in step 1 and is made again in step 5.
 */
#ifndef TSW_STATE_DIFF_H
#define TSW_STATE_DIFF_H

#include "record/fields.h"
#include "state/state.h"

enum change_what { CHANGE_ADD, CHANGE_SET, CHANGE_DEL };

/* A change of one object. A gateway has its tenant's index, and the switch its host's. */
struct change {
	__u8 what;   /* enum change_what */
	__u8 object; /* enum object_kind */
	__u32 have;  /* index in the existing state; STATE_NONE with CHANGE_ADD */
	__u32 want;  /* index in the wanted state; STATE_NONE with CHANGE_DEL */
};

struct changes {
	struct change *all;
	size_t n;
};

void changes_free(struct changes *c);

/*
 * Makes the changes from HAVE to WANT. Both states have an `own`, or both are `whole`. The caller
 * checked WANT with state_check(). If no switch is up, the own host of HAVE has `up.given` 0.
 */
int state_diff(const struct state *have, const struct state *want, struct changes *c);

#endif
