/* SPDX-License-Identifier: GPL-2.0-only */
/* What the cluster's records ask of this host, as a state. */
#ifndef TSW_AGENT_WANT_H
#define TSW_AGENT_WANT_H

#include <jansson.h>

#include "agent/mirror.h"
#include "state/state.h"

/* A set of tenants' ids, sorted. */
struct interest {
	__u32 *id;
	size_t n, room;
};
void interest_free(struct interest *i);
bool interest_has(const struct interest *i, __u32 id);

/*
 * The tenants that concern HOST: with an endpoint there, or a gateway that it serves, or a peering
 * with one of those.
 */
int want_interest(const struct mirror *r, const char *host, struct interest *interest);

/*
 * Of HOST the record VALUE at KEY, `e/ID/NAME`, which many may write, says nothing that HOST's own
 * index, `at/HOST/ID/NAME`, does not: which device it is VALUE is given from there. False: VALUE
 * puts it at HOST, and no index does.
 */
struct want_own {
	const struct record *index; /* NULL: not HOST's, or absent */
	const char *field;	    /* of VALUE: HOST's device */
	json_t *claimed;	    /* what VALUE had there, where the index has it not; or NULL */
	bool named;		    /* by the index */
};
bool want_own(const struct mirror *r, const char *host, const char *key, json_t *value,
	      struct want_own *own);
void want_own_end(struct want_own *own);

/* Of a tenant's record; 0: it is none. */
__u32 want_tenant_id(const struct record *tenant);

/*
 * The state that they ask of HOST: all hosts, and those tenants. REFUSED is told of each record
 * that is left out, UNTRUE of each that says another device of HOST than its index, with failure()
 * set. ADOPTED is told of an index without a device, as tsw 0.2.0 wrote it, and the value that it
 * is to get: HAVE has that device as that very endpoint already.
 */
typedef void want_refused(void *context, const char *key);
typedef void want_adopted(void *context, const struct record *index, const char *value);
struct wanted {
	const struct mirror *records;
	const struct interest *interest;
	const char *host;
	const struct state *have;
	want_refused *refused, *untrue;
	want_adopted *adopted;
	void *context;
};
int want_state(const struct wanted *w, struct state *s);

#endif
