/* SPDX-License-Identifier: GPL-2.0-only */
/* The whole switch as a graph: who lives where, whose gateways, peerings and published ports. */
#ifndef TSW_GRAPH_H
#define TSW_GRAPH_H

#include "record/counters.h"
#include "record/hosts.h"
#include "record/policy_find.h"
#include "object/publish.h"
#include "store/tsw.h"

/* Where something is: this host, the other hosts by name, or nowhere that is known. */
enum { GRAPH_HERE = 0 }; /* then 1 and the index of the host's row */

#define GRAPH_NONE ((size_t)-1)

struct graph {
	bool whole; /* not of one tenant alone */
	struct tenants tenants;
	bool *shown;		/* of each tenant's row */
	unsigned char *colour;	/* likewise: a slot of dot.h */
	struct hosts hosts;	/* place n + 1: nowhere */
	struct graph_endpoint { /* in order of place, tenant, name */
		size_t place;
		size_t tenant; /* row */
		struct tsw_name name;
		struct tsw_mac mac;
		struct tsw_addr first; /* of its addresses */
		size_t group;	       /* the endpoint that stands for it */
		size_t n;	       /* of that one: how many it stands for; of others 0 */
		struct tsw_policy_member member; /* where it stands for itself alone */
	} * endpoint;
	size_t n_endpoints;
	struct policy_groups groups;
	struct graph_gateway {
		size_t place;
		size_t tenant;
		struct tsw_gateway gw;
	} * gateway;
	size_t n_gateways;
	struct graph_peer { /* each half */
		struct tsw_peer_key key;
		bool open;  /* both halves are there and agree on */
		__u8 proto; /* 0: all */
		__u16 port;
	} * peer;
	size_t n_peers;
	struct graph_publish {
		struct publish p;
		size_t tenant;
		bool active;
		size_t endpoint; /* that stands for the target; GRAPH_NONE: none has its address */
	} * publish;
	size_t n_publish;
};

/* TENANT: that one, its peers, and what it has; 0: all. */
int graph_read(const struct tsw *t, __u32 tenant, struct graph *g);
void graph_free(struct graph *g);

/* Where the host of that index is; 0: this one. */
size_t graph_place(const struct graph *g, __u32 id);

#define cleanup_graph __attribute__((cleanup(graph_free)))

#endif
