/* SPDX-License-Identifier: GPL-2.0-only */
/* What the cluster's records ask of this host, as a state. */
#ifndef TSW_AGENT_WANT_H
#define TSW_AGENT_WANT_H

#include "agent/mirror.h"
#include "state/state.h"

/* A set of tenants' ids, sorted. */
struct interest {
	__u32 *id;
	size_t n, room;
};
void interest_free(struct interest *i);
bool interest_has(const struct interest *i, __u32 id);
int interest_add(struct interest *i, __u32 id);

/*
 * The tenants that concern HOST: with an endpoint there, or a gateway that it serves, or a peering
 * with one of those.
 */
int want_interest(const struct mirror *r, const char *host, struct interest *interest);

/* Of a tenant's record; 0: it is none. */
__u32 want_tenant_id(const struct record *tenant);

/*
 * The state that they ask for: all hosts, and those tenants. REFUSED is told of each record that is
 * left out, with failure() set.
 */
typedef void want_refused(void *context, const char *key);
int want_state(const struct mirror *r, const struct interest *interest, struct state *s,
	       want_refused *refused, void *context);

#endif
