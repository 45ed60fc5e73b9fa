/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A host's index of its endpoints, `at/HOST/ID/NAME`: which device of the host each of them is.
 * With the roles of docs/cluster.md the host alone and operators may write it, and the host
 * believes no other record about its devices.
 */
#ifndef TSW_CLUSTER_HOST_INDEX_H
#define TSW_CLUSTER_HOST_INDEX_H

#include <jansson.h>

#include "cluster/change.h"
#include "cluster/record.h"

/* The device that VALUE names, as JSON; NULL: none. The caller owns the reference. */
json_t *host_index_device(const char *value);

/* The value that names DEVICE, or NULL for none; to be freed. NULL: no memory. */
char *host_index_text(const json_t *device);

/*
 * Adds to C the indices of the hosts at which the endpoint lives or moves to, from OLD to WANT.
 * NULL: no such endpoint. An index that is right already is a condition only, since others may not
 * write it.
 */
int host_index_change(const struct records *r, struct change *c, __u32 id,
		      const struct tsw_endpoint_spec *old, const struct tsw_endpoint_spec *want);

#endif
