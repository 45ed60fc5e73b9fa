/* SPDX-License-Identifier: GPL-2.0-only */
/* Other hosts' flows that this agent has put into the kernel's table. */
#ifndef TSW_AGENT_FLOW_TABLE_H
#define TSW_AGENT_FLOW_TABLE_H

#include <stddef.h>
#include <sys/queue.h>

#include "kernel/conntrack_flow.h"

enum { FLOWS_MOST = 262144 }; /* of all tenants */

struct guest {
	struct tsw_flow_key key; /* of that tenant */
	struct flow flow;	 /* as it was told last */
	__u32 index;		 /* of its tenant, here */
	__u32 host;		 /* index of who told it */
	__u32 round;		 /* of that host, when it did */
	__u64 until;		 /* CLOCK_MONOTONIC, ns: the kernel was told to keep it so long */
	TAILQ_ENTRY(guest) all;
};

struct guests; /* of one tenant */

struct flow_table {
	void *tenants;			    /* tsearch(3)'s tree of struct guests */
	TAILQ_HEAD(guest_list, guest) list; /* what was told last stands last */
	size_t n;
};

void table_init(struct flow_table *t);
void table_free(struct flow_table *t);

struct guest *table_find(const struct flow_table *t, __u32 tenant, const struct flow *flow);
/* NULL: it is full, or there is no memory. */
struct guest *table_add(struct flow_table *t, __u32 tenant, const struct flow *flow);
void table_del(struct flow_table *t, struct guest *g);
void table_touch(struct flow_table *t, struct guest *g); /* it was told again */

__u32 table_count(const struct flow_table *t, __u32 tenant);

#endif
