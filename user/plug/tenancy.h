/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant, as an interface of a container sees it. */
#ifndef TSW_PLUG_TENANCY_H
#define TSW_PLUG_TENANCY_H

#include <tsw/object.h>

struct tenancy {
	struct tsw_tenant_spec spec;
	__u32 mtu;			/* what its endpoints must use */
	struct tsw_prefix_list gateway; /* none: it has no gateway */
	bool resolves;			/* that is told whom to ask for names of the world */
};

/* The length of AT, where that is 0: of the net that has the address, else of the gateway's. */
int tenancy_length(const struct tenancy *tenancy, struct tsw_prefix *at);

/* The gateway's address in that network; zero: it has none there. */
struct tsw_addr tenancy_gateway(const struct tenancy *tenancy, const struct tsw_prefix *at);

/*
 * Who answers the address AT for names: of the tenant, and of the world if that can be reached.
 * Zero: one of both is not answered. Where it is no GATEWAY's it is on the link.
 */
struct tsw_addr tenancy_server(const struct tenancy *tenancy, const struct tsw_prefix *at,
			       bool *gateway);

/* 0 becomes the most that fits; what does not fit is refused. */
int tenancy_mtu(const struct tenancy *tenancy, __u32 *mtu);

/* A port can be published. */
int tenancy_publishes(const struct tenancy *tenancy, const char *what);

#endif
