/* SPDX-License-Identifier: GPL-2.0-only */
/* The state that the cluster's records ask of this host. */
#ifndef TSW_AGENT_DESIRED_H
#define TSW_AGENT_DESIRED_H

#include "agent/interest.h"
#include "state/state.h"

/* A record is left out, or has a wrong device; failure() says why. */
typedef void desired_refused(void *context, const char *key);

/* INDEX has no device, as tsw 0.2.0 wrote it. VALUE is the index with the device that HAVE has. */
typedef void desired_adopted(void *context, const struct record *index, const char *value);

struct desired {
	const struct record_set *records;
	const struct interest *interest;
	const char *host;
	const struct state *have;
	desired_refused *refused; /* of each record that is left out */
	desired_refused *untrue;  /* of each whose device is not the one of HOST's index */
	desired_adopted *adopted;
	void *context;
};

/* Finds the endpoint NAME of a tenant in S, whose endpoints are sorted. NULL: not found. */
const struct state_endpoint *desired_find(const struct state *s, const char *tenant,
					  const char *name);

/* Makes S of all hosts and of the tenants of INTEREST. */
int desired_state(const struct desired *w, struct state *s);

#endif
