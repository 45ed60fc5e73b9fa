/* SPDX-License-Identifier: GPL-2.0-only */
/* Peerings of a cluster's tenants. Each tenant gives its half: `peer/TENANT/WITH`. */
#ifndef TSW_CLUSTER_PEERS_H
#define TSW_CLUSTER_PEERS_H

#include <tsw/object.h>

#include "cluster/record.h"

/*
 * Adds to C the deletion of all halves that TENANT gave or got, on condition that no half of the
 * cluster is changed meanwhile. If these are too many for one transaction, this deletes some of
 * them at once, and returns -EAGAIN.
 */
int peers_del_all(const struct records *r, const char *tenant, struct change *c);

/* Counts them, and adds the same condition to C. */
int peers_count(const struct records *r, const char *tenant, struct change *c, size_t *n);

/*
 * Refuses networks behind an endpoint of TENANT that overlap those which a peer gives. Adds to C
 * the condition that no half is changed meanwhile.
 */
int peers_check_prefixes(const struct records *r, struct change *c, const struct tsw_name *tenant,
			 const struct tsw_prefix_list *prefixes);

/* -ENOENT: a tenant or its gateway does not exist. -EEXIST: TENANT has given its half already. */
int cluster_peer_add(struct records *r, const struct tsw_peer_spec *spec);
int cluster_peer_del(struct records *r, const struct tsw_name *tenant, const struct tsw_name *with);

/*
 * Calls EACH for every half, sorted by both names. OTHER: the other tenant's half, or NULL. TENANT
 * empty: all. REFUSED: as in endpoint.h.
 */
typedef int cluster_each_peer(void *context, const struct tsw_peer_spec *spec,
			      const struct tsw_peer_spec *other);
int cluster_peers(const struct records *r, const struct tsw_name *tenant, size_t *refused,
		  cluster_each_peer *each, void *context);

#endif
