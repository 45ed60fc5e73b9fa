/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What makes one state the other, in an order in which no step needs what a later one makes, none
 * is refused for what a later one takes away, and at no moment a frame can come to another tenant.
 * Asks neither the maps nor the kernel.
 *
 * 1. What goes, or must be away for a moment: peerings, published ports, gateways, endpoints,
 *    tenants, hosts. A tenant with another id is another one: it goes with all that it has.
 * 2. Changes of those that have what others are to get: an endpoint that gives its address away.
 *    Before them groups that are new and rules that are new or others, of tenants that are there.
 * 3. The switch itself, hosts, tenants, then the other changes of endpoints and gateways.
 * 4. Hosts that nobody lives on any more, rules and groups that nobody needs, wider tenants, and
 *    those whose policy begins or denies more: what it allows is said by then.
 * 5. What is new, or was away: tenants, groups, rules, endpoints, gateways, published ports,
 *    peerings.
 *
 * Groups and rules of a tenant that goes go with it.
 *
 * What gives something and gets something of others, as two endpoints that swap their devices,
 * goes in 1 and is made again in 5.
 */
#ifndef TSW_STATE_DIFF_H
#define TSW_STATE_DIFF_H

#include "record/fields.h"
#include "state/state.h"

enum change_what { CHANGE_ADD, CHANGE_SET, CHANGE_DEL };

/* Places in the lists of both states; of a gateway its tenant's, of the switch its host's. */
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
 * Both have their `own`, or both are `whole`; WANT was checked by state_check(). Where no switch is
 * up, the own host of HAVE has nothing given.
 */
int state_diff(const struct state *have, const struct state *want, struct changes *c);

#endif
