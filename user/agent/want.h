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

/* `at/HOST/ID/NAME` of `e/ID/NAME`, KEY, is there: HOST itself, or who may, put it at HOST. */
bool want_is_at(const struct mirror *r, const char *host, const char *key);

/* Of a tenant's record; 0: it is none. */
__u32 want_tenant_id(const struct record *tenant);

/*
 * The state that they ask of HOST: all hosts, and those tenants. REFUSED is told of each record
 * that is left out, with failure() set.
 */
typedef void want_refused(void *context, const char *key);
struct wanted {
	const struct mirror *records;
	const struct interest *interest;
	const char *host;
	want_refused *refused;
	void *context;
};
int want_state(const struct wanted *w, struct state *s);

#endif
