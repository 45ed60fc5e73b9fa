/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant, as an interface of a container sees it. */
#ifndef TSW_PLUG_TENANCY_H
#define TSW_PLUG_TENANCY_H

#include <tsw/object.h>

struct tenancy {
	struct tsw_tenant_spec spec;
	__u32 mtu;			/* what its endpoints must use */
	struct tsw_prefix_list gateway; /* empty: the tenant has no gateway */
	bool resolves;			/* the gateway has a DNS server for names of the internet */
};

/* If AT has the length 0, sets that of the tenant's net, or else of the gateway's network. */
int tenancy_length(const struct tenancy *tenancy, struct tsw_prefix *at);

/* The gateway's address in AT's network. Zero: it has none there. */
struct tsw_addr tenancy_gateway(const struct tenancy *tenancy, const struct tsw_prefix *at);

/*
 * The DNS server for the address AT. It answers for names of the tenant and, if the tenant has a
 * gateway, of the internet. Zero: no server answers for both. *GATEWAY: it is the gateway's
 * address; otherwise the server is on the link.
 */
struct tsw_addr tenancy_server(const struct tenancy *tenancy, const struct tsw_prefix *at,
			       bool *gateway);

/* Replaces an MTU of 0 by the largest that fits, and refuses a larger one. */
int tenancy_mtu(const struct tenancy *tenancy, __u32 *mtu);

/* Checks that the tenant can publish ports. WHAT begins the message. */
int tenancy_publishes(const struct tenancy *tenancy, const char *what);

#endif
