/* SPDX-License-Identifier: GPL-2.0-only */
/* What an interface is asked to have, and what it gets. */
#ifndef TSW_CNI_WANT_H
#define TSW_CNI_WANT_H

#include "cni/cni.h"
#include "plug/device.h"
#include "plug/world.h"

/* Whatever is not asked for is zero, and chosen. */
struct want {
	struct tsw_mac mac;
	__u32 mtu;
	struct tsw_limits limits;
	struct tsw_group_list groups;
	struct tsw_name name; /* empty: the one of its own that is made of the container's id */
	bool pod;	      /* that is the pod's, of which nobody said that it be that */
	enum device_kind device;
	bool chosen;	    /* the addresses are the tenant's */
	bool routed;	    /* the routes are another plugin's: those and no default */
	struct dress dress; /* a length of 0: of the tenant's net */
	const json_t *dns;
	struct tsw_addr_pair server; /* who answers for the tenant's names; zero: nobody does */
	struct tsw_domain domain;
	const json_t *ports; /* NULL: none */
};

/* What environment and configuration ask for. */
int want_read(struct cni *c, struct want *want);

/* The network's, and the container's own where the network lets it choose. */
int want_groups(struct cni *c, struct tsw_group_list *list);

/* What it is to be called. */
int want_name(struct cni *c, struct want *want);

int want_rates(struct cni *c, struct tsw_limits *limits);

/* What C->ipam answers, which WANT->dns may point into. */
int want_ipam(struct cni *c, const json_t *result, struct want *want);

/* GOT, the endpoint's addresses, with lengths, gateways and routes as the tenant has them. */
int want_settle(struct cni *c, const struct tenancy *tenancy, const struct tsw_addr_list *got,
		struct want *want);

#endif
