/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls from commands to the agents of all hosts, and their answers. A host answers
 * `call/wait/NUMBER` by `answer/NUMBER/HOST` as soon as it has applied all earlier changes.
 * `call/accept` tells the agents that deletions which they hold back are intended. Calls and
 * answers have leases, so etcd deletes them.
 */
#ifndef TSW_CLUSTER_CALL_H
#define TSW_CLUSTER_CALL_H

#include <jansson.h>

#include "cluster/change.h"
#include "cluster/member.h"

enum { CALL_ACCEPT_SECONDS = 300 };

/* Makes a call that ends after SECONDS. NUMBER: see call_answers(). */
int call_wait(struct etcd *e, const struct member *m, unsigned int seconds,
	      char number[CHANGE_NONCE]);
int call_accept(struct etcd *e, const struct member *m);

/*
 * Calls EACH for every host that has answered. FAILED: changes that it could not apply. UNREACHED:
 * an array of names of hosts that do not answer it, or NULL.
 */
typedef int call_answer(void *context, const char *host, __u64 failed, const json_t *unreached);
int call_answers(struct etcd *e, const struct member *m, const char *number, call_answer *each,
		 void *context);

/* Calls EACH for every host whose agent runs. */
struct call_alive {
	const char *host, *version;
	__s64 since; /* when the agent began, in seconds since 1970; negative: it does not say */
};
typedef int call_living(void *context, const struct call_alive *alive);
int call_alive(struct etcd *e, const struct member *m, call_living *each, void *context);

/* Calls EACH for every endpoint with the host where it lives, as the hosts' indices say. */
typedef int call_endpoint(void *context, const char *host);
int call_endpoints(struct etcd *e, const struct member *m, call_endpoint *each, void *context);

#endif
