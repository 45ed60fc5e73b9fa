/* SPDX-License-Identifier: GPL-2.0-only */
/* The owners of entries in a snapshot: endpoints and gateways, by tenant and MAC. */
#ifndef TSW_OWNERS_H
#define TSW_OWNERS_H

#include "record/snapshot.h"

struct owner {
	struct tsw_fdb_key key;
	const struct tsw_endpoint_key *name; /* of an endpoint; or NULL */
	const struct tsw_endpoint *record;
	const struct tsw_gateway *gw; /* of a gateway; or NULL */
	unsigned int addrs;	      /* entries of tsw_addrs that have its MAC */
	unsigned int prefixes;	      /* likewise of tsw_prefixes */
};

struct owners {
	struct owner *all; /* sorted */
	size_t n;
};

/* Also counts each owner's addresses. */
int owners_make(const struct snapshot *s, struct owners *owners);
void owners_free(struct owners *owners);

struct owner *owners_find(const struct owners *owners, __u32 tenant, const struct tsw_mac *mac);

#define cleanup_owners __attribute__((cleanup(owners_free)))

#endif
