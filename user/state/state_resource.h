/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What only one can have: a MAC or an address within a tenant, a device of a host. By it is found
 * who must let go of what before somebody else can have it.
 */
#ifndef TSW_STATE_RESOURCE_H
#define TSW_STATE_RESOURCE_H

#include "state/state.h"

enum resource_kind { RESOURCE_MAC, RESOURCE_IP, RESOURCE_DEV };

/* Who has it: an endpoint, by its place in the state, or a tenant's gateway, or the switch. */
#define OWNER_GATEWAY 0x80000000U
#define OWNER_SWITCH 0xffffffffU

struct resource {
	__u32 kind;
	__u32 scope; /* tenant; of a device the host */
	union {
		struct tsw_mac mac;
		struct tsw_addr ip;
		char dev[IFNAMSIZ];
	};
	__u32 owner;
};

struct resources {
	struct resource *all; /* sorted by all but the owner */
	size_t n;
};

/*
 * SCOPE: the number to use for each tenant, STATE_NONE for one that is left out; NULL: its own.
 * Devices are those of the own host or, while there is none, of all.
 */
int resources_make(const struct state *s, const __u32 *scope, struct resources *r);
void resources_free(struct resources *r);

#define cleanup_resources __attribute__((cleanup(resources_free)))

int resource_compare(const void *a, const void *b);

/* Who has an address; NULL: nobody. */
const struct resource *resources_find_ip(const struct resources *r, __u32 scope,
					 const struct tsw_addr *ip);

#endif
