/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An endpoint's name that a user gave. Whoever ends the container is not told of it: a file keeps
 * it, by the endpoint's own name, which is made of what a runtime says each time. It is there
 * before the endpoint, and goes after it.
 */
#ifndef TSW_PLUG_GIVEN_H
#define TSW_PLUG_GIVEN_H

#include "plug/world.h"

struct given {
	const char *directory; /* of the files */
	struct tsw_name own;   /* its name where none is given */
	char dev[IFNAMSIZ];    /* the host's end of its devices */

	struct tsw_name tenant, name; /* NAME is empty: none is given */
	__u32 ifindex;		      /* of DEV */
};

/*
 * Reads what is kept of G->own and G->dev. A file without text, as a crash leaves one, counts as
 * absent. Where the file is damaged, the endpoint is found by its device in TENANT, or -EINVAL.
 */
int given_load(struct given *g, struct world *w, const struct tsw_name *tenant);

/* Which name it has. */
const struct tsw_name *given_name(const struct given *g);

/* Adds SPEC, with its given name if G has one. What a killed call left of that goes before. */
int given_add(struct given *g, struct world *w, struct tsw_endpoint_spec *spec, __u64 fields,
	      struct tsw_endpoint_spec *got);

/*
 * The endpoint by either name, as world_del(). An endpoint of the given name that is another's by
 * now stays.
 */
int given_del(struct given *g, struct world *w, const struct tsw_name *tenant);

/* After given_load(): its ports alone; what there is of it. */
int given_unpublish(const struct given *g, struct world *w, const struct tsw_name *tenant);
int given_get(const struct given *g, struct world *w, const struct tsw_name *tenant,
	      struct tsw_endpoint_spec *got);

/* One that begins as NETWORK's own do, which ends those, is refused. */
int given_check(const struct tsw_name *name, const char *network);

#endif
