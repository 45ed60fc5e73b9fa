/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Claims on networks behind a tenant's endpoints, `net/ID/CIDR`. No two of a tenant overlap, and
 * nobody but the endpoint claims an address in one. A change reads what it could overlap, and its
 * transaction is refused if anything was claimed there since.
 */
#ifndef TSW_CLUSTER_PREFIXES_H
#define TSW_CLUSTER_PREFIXES_H

#include "cluster/claims.h"

struct claimed {
	struct tsw_prefix prefix;
	struct tsw_name owner;
	__s64 modified; /* revision of the claim */
};

/* All of a tenant. Begins as zeros. */
struct prefixes {
	struct claimed *all;
	size_t n;
	__s64 revision; /* of the store when they were read; 0: not read */
};

int prefixes_read(const struct records *r, __u32 id, struct prefixes *p);
void prefixes_end(struct prefixes *p);

#define cleanup_prefixes __attribute__((cleanup(prefixes_end)))

/* The network that contains the address, or NULL. P may be NULL: the tenant has no networks. */
const struct claimed *prefixes_around(const struct prefixes *p, const struct tsw_addr *addr);

/* Adds to C the condition that nobody claimed a network of the tenant since P was read. */
void prefixes_keep(const struct records *r, struct change *c, __u32 id, const struct prefixes *p);

/* Refuses new networks of the tenant itself that are within a prefix. */
int prefixes_refuse_own(const struct prefixes *p, const struct tsw_prefix *net, __u32 n);

/* The part of claims_add() for networks. Refuses one that overlaps another endpoint's address. */
int claims_add_prefixes(const struct records *r, struct change *c, const struct holder *h);

#endif
