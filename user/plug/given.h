/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names that users gave to endpoints. A runtime does not repeat such a name when it ends the
 * container. So a file keeps it, under the endpoint's own name, which is made of what the runtime
 * says each time. The file is written before the endpoint is made, and removed after it.
 */
#ifndef TSW_PLUG_GIVEN_H
#define TSW_PLUG_GIVEN_H

#include "plug/world.h"

struct given {
	const char *directory; /* of the files */
	struct tsw_name own;   /* the endpoint's name if the user gave none */
	char dev[IFNAMSIZ];    /* the host's end of its devices */

	struct tsw_name tenant, name; /* NAME empty: the user gave none */
	__u32 ifindex;		      /* of DEV */
};

/*
 * Reads the file of G->own. An empty file, which a crash may leave, counts as absent. If the file
 * is damaged, finds the endpoint in TENANT by its device G->dev, or returns -EINVAL.
 */
int given_load(struct given *g, struct world *w, const struct tsw_name *tenant);

/* The endpoint's name: the given one, or else its own. */
const struct tsw_name *given_name(const struct given *g);

/* Adds SPEC, with its given name if G has one. Before, removes what a killed call left. */
int given_add(struct given *g, struct world *w, struct tsw_endpoint_spec *spec, __u64 fields,
	      struct tsw_endpoint_spec *got);

/*
 * Deletes the endpoint under both names, as world_del(). Keeps an endpoint of the given name that
 * is another container's by now.
 */
int given_del(struct given *g, struct world *w, const struct tsw_name *tenant);

/* After given_load(): withdraws only its published ports; reads it. */
int given_unpublish(const struct given *g, struct world *w, const struct tsw_name *tenant);
int given_get(const struct given *g, struct world *w, const struct tsw_name *tenant,
	      struct tsw_endpoint_spec *got);

/* Refuses a name that begins like NETWORK's own names, since the network deletes those. */
int given_check(const struct tsw_name *name, const char *network);

#endif
