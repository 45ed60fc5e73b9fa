/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A resource has one owner at a time: a MAC or an address within a tenant, or a device of a host.
 * state_diff() finds by it which owner must give a resource up before another can get it.
 */
#ifndef TSW_STATE_RESOURCE_H
#define TSW_STATE_RESOURCE_H

#include "state/state.h"

enum resource_kind {
	RESOURCE_MAC,
	RESOURCE_IP,
	RESOURCE_DEV,
	RESOURCE_VIP, /* last: several endpoints may share a vip, if no endpoint has it as IP */
};

/*
 * An owner is an endpoint's index, OWNER_GATEWAY with a tenant's index for its gateway,
 * OWNER_SWITCH, or OWNER_TENANT for a network of the tenant itself.
 */
#define OWNER_GATEWAY 0x80000000U
#define OWNER_SWITCH 0xffffffffU
#define OWNER_TENANT 0xfffffffeU

struct resource {
	__u32 kind;
	__u32 scope; /* the tenant; for a device its host */
	union {
		struct tsw_mac mac;
		struct tsw_addr ip;
		char dev[IFNAMSIZ];
	};
	__u32 owner;
};

struct resources {
	struct resource *all; /* sorted by all members except `owner` */
	size_t n;
};

/*
 * Lists the resources of a state. SCOPE has the number to use for each tenant, or STATE_NONE to
 * leave it out; NULL: the tenant's index. Without an own host, lists the devices of all hosts.
 */
int resources_make(const struct state *s, const __u32 *scope, struct resources *r);
void resources_free(struct resources *r);

#define cleanup_resources __attribute__((cleanup(resources_free)))

int resource_compare(const void *a, const void *b);

/* The owner of an address, or NULL. Of a vip, any endpoint that may take it. */
const struct resource *resources_find_ip(const struct resources *r, __u32 scope,
					 const struct tsw_addr *ip);

#endif
