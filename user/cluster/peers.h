/* SPDX-License-Identifier: GPL-2.0-only */
/* Halves of peerings of a cluster: `peer/TENANT/WITH`. */
#ifndef TSW_CLUSTER_PEERS_H
#define TSW_CLUSTER_PEERS_H

#include <tsw/object.h>

#include "cluster/record.h"

/*
 * Into C: those with that tenant go, whoever gave them. Where they are too many for one
 * transaction, the first of them go at once: -EAGAIN. All halves of the cluster are read, and on
 * condition that no other one comes.
 */
int peers_del_all(const struct records *r, const char *tenant, struct change *c);

/* How many there are, on the same condition. */
int peers_count(const struct records *r, const char *tenant, struct change *c, size_t *n);

/* SPEC: all of it. -EEXIST, -ENOENT: a tenant or a gateway. */
int cluster_peer_add(struct records *r, const struct tsw_peer_spec *spec);
int cluster_peer_del(struct records *r, const struct tsw_name *tenant, const struct tsw_name *with);

/* EACH by both names. TENANT empty: all. OTHER: the other's half, or NULL. */
typedef int cluster_each_peer(void *context, const struct tsw_peer_spec *spec,
			      const struct tsw_peer_spec *other);
int cluster_peers(const struct records *r, const struct tsw_name *tenant, size_t *refused,
		  cluster_each_peer *each, void *context);

#endif
