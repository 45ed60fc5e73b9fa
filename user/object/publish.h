/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Published ports: outside hosts reach a tenant's endpoints at this host's addresses. The records
 * are in tsw_publish; a record that is half-made or half-deleted is marked pending. The nftables
 * elements that make a port work exist only while this host serves the tenant's gateway.
 */
#ifndef TSW_PUBLISH_H
#define TSW_PUBLISH_H

#include <tsw/object.h>

#include "kernel/nft.h"
#include "store/tsw.h"

struct publish {
	struct tsw_publish_key key;
	struct tsw_publish to;
	bool allow_missing; /* the endpoint may not exist yet, or not any more */
	const char *dev;    /* its device on this host; NULL: of the endpoint that exists */
};

int publish_add(struct tsw *t, const struct tsw_name *tenant, const struct publish *want);

/*
 * -EADDRINUSE: the switch or a socket of this host has the port, whether or not it is published. A
 * socket of the runtime that serves the same container does not count.
 */
int publish_check_port(const struct tsw *t, const struct publish *want);

/* Withdraws a port; with WANT->to.port 0 for both families. */
int publish_del(struct tsw *t, const struct tsw_name *tenant, const struct publish *want);

/* A tenant's mappings, or with 0 those of all tenants, by tenant. The caller frees *ALL. */
int publish_list(const struct tsw *t, __u32 tenant, struct publish **all, size_t *n);

/* A published port in its public form, and back. */
struct tsw_publish_spec publish_spec(const struct publish *p);
struct publish publish_of(const struct tsw_publish_spec *spec, bool allow_missing);

/* Tells whether the port works on this host; GW is its tenant's gateway. */
bool publish_is_active(const struct tsw_gateway *gw, const struct tsw_publish *to);

const char *proto_text(__u32 proto);

/* Adds the nftables elements of all tenants whose gateway this host serves. */
int publish_fill(struct tsw *t, struct nft_change *c);

/*
 * After ports of a tenant, or with 0 of all, have become active: forgets the flows that came to
 * them before. Conntrack would drop their frames; now they become new connections.
 */
int publish_let_in(struct tsw *t, __u32 tenant);

/* Updates a tenant's mappings from the changed record of its gateway; 0: those of all tenants. */
int publish_refresh(struct tsw *t, __u32 tenant);

/* Before that: adds to C the removal of elements that only the gateway as it was has. */
int publish_drop_former(const struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
			const struct tsw_gateway *want, struct nft_change *c);

/* Deletes all of a tenant, whose gateway must still be in tsw_gateways with its index. */
int publish_del_all(struct tsw *t, __u32 tenant);

#endif
