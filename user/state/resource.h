/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What only one owner can have: a MAC or an address within a tenant, a device of a host. This finds
 * who must give it up before another owner can get it.
 */
#ifndef TSW_STATE_RESOURCE_H
#define TSW_STATE_RESOURCE_H

#include "state/state.h"

enum resource_kind { RESOURCE_MAC, RESOURCE_IP, RESOURCE_DEV };

/* The owner: an endpoint, by its index, or a tenant's gateway, or the switch. */
#define OWNER_GATEWAY 0x80000000U
#define OWNER_SWITCH 0xffffffffU

struct resource {
	__u32 kind;
	__u32 scope; /* the tenant, or of a device the host */
	union {
		struct tsw_mac mac;
		struct tsw_addr ip;
		char dev[IFNAMSIZ];
	};
	__u32 owner;
};

struct resources {
	struct resource *all; /* sorted, the owner does not count */
	size_t n;
};

/*
 * SCOPE: the number to use for each tenant, STATE_NONE to leave it out; NULL: its own index. Has the
 * devices of the own host, or without one, of all hosts.
 */
int resources_make(const struct state *s, const __u32 *scope, struct resources *r);
void resources_free(struct resources *r);

#define cleanup_resources __attribute__((cleanup(resources_free)))

int resource_compare(const void *a, const void *b);

/* The owner of an address, or NULL. */
const struct resource *resources_find_ip(const struct resources *r, __u32 scope,
					 const struct tsw_addr *ip);

#endif
