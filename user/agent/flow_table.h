/* SPDX-License-Identifier: GPL-2.0-only */
/* Flows of other hosts that this agent has put into the kernel's conntrack. */
#ifndef TSW_AGENT_FLOW_TABLE_H
#define TSW_AGENT_FLOW_TABLE_H

#include <stddef.h>
#include <sys/queue.h>

#include "kernel/conntrack_flow.h"

enum { FLOWS_MOST = 262144 }; /* of all tenants */

struct guest {
	struct tsw_flow_key key; /* with the tenant */
	struct flow flow;	 /* as it was received last */
	__u32 index;		 /* the gateway's on this host */
	__u32 host;		 /* the sender's index */
	__u32 round;		 /* the sender's round in which it came last */
	__u64 until;		 /* CLOCK_MONOTONIC, ns: when the kernel's entry expires */
	TAILQ_ENTRY(guest) all;
};

struct guests; /* of one tenant */

struct flow_table {
	void *tenants;			    /* tsearch(3)'s tree of struct guests */
	TAILQ_HEAD(guest_list, guest) list; /* in the order in which they were received last */
	size_t n;
};

void table_init(struct flow_table *t);
void table_free(struct flow_table *t);

struct guest *table_find(const struct flow_table *t, __u32 tenant, const struct flow *flow);
/* NULL: the table is full, or memory is short. */
struct guest *table_add(struct flow_table *t, __u32 tenant, const struct flow *flow);
void table_del(struct flow_table *t, struct guest *g);
void table_touch(struct flow_table *t, struct guest *g); /* moves it to the list's end */

__u32 table_count(const struct flow_table *t, __u32 tenant);

#endif
