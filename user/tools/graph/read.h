/* SPDX-License-Identifier: GPL-2.0-only */
/* The switch as a graph: endpoints by place, gateways, peerings and published ports. */
#ifndef TSW_TOOLS_GRAPH_READ_H
#define TSW_TOOLS_GRAPH_READ_H

#include "object/publish.h"
#include "record/counters.h"
#include "record/hosts.h"
#include "record/policy_find.h"
#include "store/tsw.h"

/* A place: GRAPH_HERE, 1 + the index of another host's row, or behind these: unknown. */
enum { GRAPH_HERE = 0 };

#define GRAPH_NONE ((size_t)-1)

struct graph {
	bool whole; /* not of a single tenant */
	struct tenants tenants;
	bool *shown;		/* of each tenant's row */
	unsigned char *colour;	/* of each tenant's row: a slot of dot.h */
	struct hosts hosts;	/* place n + 1: unknown */
	struct graph_endpoint { /* in order of place, tenant, name */
		size_t place;
		size_t tenant; /* row */
		struct tsw_name name;
		struct tsw_fdb_key key;
		struct tsw_addr first; /* of its addresses */
		size_t group;	       /* index of the endpoint whose node it is part of */
		size_t n;	       /* endpoints in its own node; 0: it has none */
		struct tsw_policy_member member; /* if n is 1 */
	} * endpoint;
	size_t n_endpoints;
	struct policy_groups groups;
	struct graph_gateway {
		size_t place;
		size_t tenant;
		struct tsw_gateway gw;
	} * gateway;
	size_t n_gateways;
	struct graph_peer { /* one half of a peering */
		struct tsw_peer_key key;
		bool open;  /* both halves exist and have something in common */
		__u8 proto; /* 0: all */
		__u16 port;
	} * peer;
	size_t n_peers;
	struct graph_publish {
		struct publish p;
		size_t tenant;
		bool active;
		size_t endpoint; /* whose node has the target; GRAPH_NONE: no endpoint has it */
	} * publish;
	size_t n_publish;
};

/* TENANT: only that one with its objects and peers; 0: all. */
int graph_read(const struct tsw *t, __u32 tenant, struct graph *g);
void graph_free(struct graph *g);

/* The place of the host with that index; 0 is this host. */
size_t graph_place(const struct graph *g, __u32 id);

#define cleanup_graph __attribute__((cleanup(graph_free)))

#endif
