/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command asks of all agents, and what they tell: `call/wait/NUMBER` is answered by
 * `answer/NUMBER/HOST` when a host has carried out what there was before it; `call/accept` says
 * that what is gone was meant to go. Each has a lease, and ends by itself.
 */
#ifndef TSW_CLUSTER_CALL_H
#define TSW_CLUSTER_CALL_H

#include "cluster/change.h"
#include "cluster/member.h"

enum { CALL_ACCEPT_SECONDS = 300 };

/* NUMBER is this call's. It ends after SECONDS. */
int call_wait(struct etcd *e, const struct member *m, unsigned int seconds,
	      char number[CHANGE_NONCE]);
int call_accept(struct etcd *e, const struct member *m);

/* Each host that has answered; FAILED: so many changes could not be carried out there. */
typedef int call_answer(void *context, const char *host, __u64 failed);
int call_answers(struct etcd *e, const struct member *m, const char *number, call_answer *each,
		 void *context);

/* Each host whose agent runs. SINCE: seconds since 1970, as it says; negative: it says none. */
struct call_alive {
	const char *host, *version;
	__s64 since;
};
typedef int call_living(void *context, const struct call_alive *alive);
int call_alive(struct etcd *e, const struct member *m, call_living *each, void *context);

/* How many endpoints live on each host, by `at/HOST/`; EACH once for an endpoint. */
typedef int call_endpoint(void *context, const char *host);
int call_endpoints(struct etcd *e, const struct member *m, call_endpoint *each, void *context);

#endif
