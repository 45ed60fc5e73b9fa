/* SPDX-License-Identifier: GPL-2.0-only */
/* What is left behind an id whose tenant is gone. */
#ifndef TSW_CLUSTER_SWEEP_H
#define TSW_CLUSTER_SWEEP_H

#include <stddef.h>

#include <linux/types.h>

#include "cluster/record.h"

/* Into C: the claims of an id without endpoints, those that rest, groups and rules, its pulses. */
void sweep_claims(const struct records *r, struct change *c, __u32 id);

/* Into C: all that endpoints, gateways and policies of that id have, but for the hosts' indices. */
void sweep_add(const struct records *r, struct change *c, __u32 id);

/* A claim whose owner's record is not there, TENANT is 0, or has another id, as of TENANT. */
struct orphan {
	__u32 id;
	const char *owner;
	__s64 modified, tenant;
};

/*
 * What is left behind it goes, then the claim. In steps of at most 100 records, each on condition
 * that the claim is still the same: -EAGAIN.
 */
int sweep(const struct records *r, const struct orphan *orphan);

/* The same, of which sweep_add() is done. */
int sweep_rest(const struct records *r, __u32 id, __s64 modified);

/* The same of every orphan of OWNER's; *FOUND: how many. Reads all claims on ids. */
int sweep_orphans(const struct records *r, const char *owner, size_t *found);

#endif
