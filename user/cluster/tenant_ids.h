/* SPDX-License-Identifier: GPL-2.0-only */
/* The tenants of a cluster and their ids, by which the keys of what they have tell whose it is. */
#ifndef TSW_CLUSTER_TENANT_IDS_H
#define TSW_CLUSTER_TENANT_IDS_H

#include "cluster/record.h"

struct tenant_ids {
	struct tenant_id {
		__u32 id;
		struct tsw_name name;
	} * all;
	size_t n;
};

/* -ENOENT with a message. NAME empty: all, by name; records that are none are counted. */
int tenant_ids_read(const struct records *r, const struct tsw_name *name, size_t *refused,
		    struct tenant_ids *ids);
void tenant_ids_free(struct tenant_ids *ids);

/* By id, for what follows. */
void tenant_ids_sort(struct tenant_ids *ids);
/* NULL: that tenant is not there. */
const struct tsw_name *tenant_ids_name(const struct tenant_ids *ids, __u32 id);

#define cleanup_tenant_ids __attribute__((cleanup(tenant_ids_free)))

#endif
