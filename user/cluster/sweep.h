/* SPDX-License-Identifier: GPL-2.0-only */
/* Deletes what a deleted tenant has left under its id. */
#ifndef TSW_CLUSTER_SWEEP_H
#define TSW_CLUSTER_SWEEP_H

#include <stddef.h>

#include <linux/types.h>

#include "cluster/record.h"

/* Adds to C the deletion of an id's claims, addresses at rest, groups, rules and pulses. */
void sweep_claims(const struct records *r, struct change *c, __u32 id);

/* Adds to C the deletion of all endpoints, claims, groups and rules of an id. Indices stay. */
void sweep_add(const struct records *r, struct change *c, __u32 id);

/* A claim on an id whose owner has no record, or a record with another id. */
struct orphan {
	__u32 id;
	const char *owner;
	__s64 modified; /* revision of the claim */
	__s64 tenant;	/* revision of the owner's record; 0: it does not exist */
};

/*
 * Deletes everything of the orphan's id, then the claim, in several transactions. -EAGAIN: the
 * claim or the owner's record was changed meanwhile.
 */
int sweep(const struct records *r, const struct orphan *orphan);

/* The second part of it, after sweep_add(). MODIFIED: revision of the claim. */
int sweep_rest(const struct records *r, __u32 id, __s64 modified);

/* The same for every orphan of OWNER; *FOUND: how many. Reads the claims on all ids. */
int sweep_orphans(const struct records *r, const char *owner, size_t *found);

#endif
