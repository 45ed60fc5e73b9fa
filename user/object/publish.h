/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Published ports: what the world reaches of a tenant at this host's addresses. The records are
 * in tsw_publish, and one half-way made or removed is marked pending; what packets meet is in
 * nftables, and is there only while the tenant's gateway is served here.
 */
#ifndef TSW_PUBLISH_H
#define TSW_PUBLISH_H

#include <tsw/object.h>

#include "kernel/nft.h"
#include "store/tsw.h"

struct publish {
	struct tsw_publish_key key;
	struct tsw_publish to;
	bool early; /* its endpoint may come later, or be gone: not taken for a slip */
};

int publish_add(struct tsw *t, const struct tsw_name *tenant, const struct publish *want);

/* Nobody else on this host waits at the port, whether or not a tenant publishes it. */
int publish_check_port(const struct tsw *t, const struct publish *want);

/* The mapping of a port; WANT->to.port 0: those of both families. */
int publish_del(struct tsw *t, const struct tsw_name *tenant, const struct publish *want);

/* Those of a tenant, 0: of all, by tenant; *ALL is the caller's to free. */
int publish_list(const struct tsw *t, __u32 tenant, struct publish **all, size_t *n);

struct tsw_publish_spec publish_spec(const struct publish *p);
struct publish publish_of(const struct tsw_publish_spec *spec, bool early);

/* The world gets in by it on this host; GW: its tenant's gateway. */
bool publish_is_active(const struct tsw_gateway *gw, const struct tsw_publish *to);

const char *proto_text(__u32 proto);

/* What packets meet of all mappings: of tenants whose gateway is served here. */
int publish_fill(struct tsw *t, struct nft_change *c);

/*
 * After that: who went on while there was no rule for it went to nobody, and does so for as long as
 * conntrack knows the flow. It is a new connection now, by the mapping. TENANT: whose; 0: all.
 */
int publish_let_in(struct tsw *t, __u32 tenant);

/* After the gateway of a tenant was moved or changed, and its record says so; 0: of any. */
int publish_refresh(struct tsw *t, __u32 tenant);

/*
 * Before that: C gets what the mappings have in nftables by the gateway as it was and will have
 * no more.
 */
int publish_drop_former(const struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
			const struct tsw_gateway *want, struct nft_change *c);

/* Before a gateway goes: with its index it must still be in tsw_gateways. */
int publish_del_all(struct tsw *t, __u32 tenant);

#endif
