/* SPDX-License-Identifier: GPL-2.0-only */
/* By which encapsulation a host is asked whether it is alive, and when it counts as silent. */
#ifndef TSW_AGENT_ASKING_H
#define TSW_AGENT_ASKING_H

#include <stdbool.h>

#include <tsw/abi.h>

#include "agent/rank.h"

struct asking {
	enum tsw_encap encap; /* of the next question */
	__u32 lost;	      /* unanswered questions in a row */
	bool ranked;	      /* for a gateway */
	/* Of a ranked host. */
	enum tsw_encap first; /* by which it is asked before all others */
	bool geneve;	      /* a tenant of those gateways uses it, so it may be asked by it */
	bool by_geneve;
};

/* Before all tenants are looked at, for each whose gateway ranks the host, and after them. */
void asking_begin(struct asking *a);
void asking_rank(struct asking *a, enum tsw_encap encap);
void asking_end(struct asking *a);

/* No answer came to a question, one each MS. True: the host counts as silent from now on. */
bool asking_missed(struct asking *a, enum life life, __u32 ms);

#endif
