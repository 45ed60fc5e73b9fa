/* SPDX-License-Identifier: GPL-2.0-only */
/* What a runtime asks an interface to have, and what the interface gets. */
#ifndef TSW_CNI_WANT_H
#define TSW_CNI_WANT_H

#include "cni/cni.h"
#include "plug/device.h"
#include "plug/offer.h"
#include "plug/world.h"

/* A field that was not asked for is zero; its value is chosen. */
struct want {
	struct tsw_mac mac;
	__u32 mtu;
	struct tsw_limits limits;
	struct tsw_endpoint_spec spec; /* the fields of OFFER_FIELDS in GIVEN */
	__u64 given;
	struct tsw_name name; /* empty: a name made of the container's id */
	bool pod;	      /* the name is the pod's, and nobody asked for it */
	enum device_kind device;
	bool chosen;	    /* the tenant chooses the addresses */
	bool routed;	    /* the IPAM plugin's routes are used, without a default route */
	struct dress dress; /* an address with length 0 gets that of the tenant's net */
	const json_t *dns;
	struct tsw_addr_pair server; /* the DNS server for the tenant's names; zero: none */
	struct tsw_domain domain;
	const json_t *ports; /* NULL: none */
};

/* Reads what environment and configuration ask for. */
int want_read(struct cni *c, struct want *want);

/* Reads the addresses and the MAC that are asked for. */
int want_addresses(struct cni *c, struct want *want);

/* Adds ADDRESS/LENGTH, or ADDRESS, which gets the length of the tenant's net. */
int want_add_ip(const char *text, struct dress *dress);

/* Reads OFFER_FIELDS: the network's values, and the container's own if the network offers them. */
int want_offers(struct cni *c, struct want *want);

/* Reads the endpoint's name. */
int want_name(struct cni *c, struct want *want);

int want_rates(struct cni *c, struct tsw_limits *limits);

/* Takes the result of C->ipam. WANT->dns may point into it. */
int want_ipam(struct cni *c, const json_t *result, struct want *want);

/* Takes the endpoint's addresses, GOT, and adds the tenant's lengths, gateways and routes. */
int want_settle(struct cni *c, const struct tenancy *tenancy, const struct tsw_addr_list *got,
		struct want *want);

#endif
