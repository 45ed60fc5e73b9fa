/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A host's index of its endpoints: `at/HOST/ID/NAME` names the device of the host that the endpoint
 * uses. With the roles of docs/cluster.md only the host itself and operators may write it. A host
 * believes no other record about its devices.
 */
#ifndef TSW_CLUSTER_HOST_INDEX_H
#define TSW_CLUSTER_HOST_INDEX_H

#include <jansson.h>

#include "cluster/change.h"
#include "cluster/record.h"

/* The device that the entry VALUE names, as a JSON string; NULL: none. The caller drops it. */
json_t *host_index_device(const char *value);

/* The value of an entry that names DEVICE, or no device if that is NULL. The caller frees it. */
char *host_index_text(const json_t *device);

/*
 * Adds to C the changes of indices when endpoint OLD becomes WANT. NULL: it does not exist. Affects
 * the hosts where it lives and the hosts that it moves to. An entry that is right already becomes
 * only a condition, because this host may have no right to write it.
 */
int host_index_change(const struct records *r, struct change *c, __u32 id,
		      const struct tsw_endpoint_spec *old, const struct tsw_endpoint_spec *want);

#endif
