/* SPDX-License-Identifier: GPL-2.0-only */
/* The tenants that concern a host: an agent reads and watches the endpoints of no others. */
#ifndef TSW_AGENT_INTEREST_H
#define TSW_AGENT_INTEREST_H

#include "agent/record_set.h"

enum { INTEREST_NAME = 256 }; /* a tenant's name in a key, with its NUL */

/* A set of tenants' ids, sorted. */
struct interest {
	__u32 *id;
	size_t n;
};
void interest_free(struct interest *i);
bool interest_has(const struct interest *i, __u32 id);

/*
 * Finds the tenants that concern HOST: those with an endpoint there, those whose gateway it serves,
 * and the peers of both.
 */
int interest_find(const struct record_set *r, const char *host, struct interest *interest);

/* Reads the id from a tenant's record. 0: the record is NULL or has no valid id. */
__u32 interest_tenant_id(const struct record *tenant);

/* Splits `peer/A/B` into its two names, which contain no slash. False: KEY has another form. */
bool interest_peers(const char *key, char tenant[INTEREST_NAME], char with[INTEREST_NAME]);

#endif
