/* SPDX-License-Identifier: GPL-2.0-only */
/* Halves of peerings of a cluster: `peer/TENANT/WITH`. */
#ifndef TSW_CLUSTER_PEERS_H
#define TSW_CLUSTER_PEERS_H

#include <tsw/object.h>

#include "cluster/record.h"

/*
 * Into C: those with that tenant go, whoever gave them. Where they are too many for one
 * transaction, the first of them go at once. All halves of the cluster are read.
 */
int peers_del_all(const struct records *r, const char *tenant, struct change *c);

#endif
