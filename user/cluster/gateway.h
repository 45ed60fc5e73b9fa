/* SPDX-License-Identifier: GPL-2.0-only */
/* Gateways of a cluster's tenants: `gateway/TENANT`, and claims on their addresses and MACs. */
#ifndef TSW_CLUSTER_GATEWAY_H
#define TSW_CLUSTER_GATEWAY_H

#include <tsw/object.h>

#include "cluster/record.h"

/* MODIFIED, if not NULL, gets the record's revision. -ENOENT: the tenant has no gateway. */
int cluster_gateway_get(const struct records *r, const struct tsw_name *tenant,
			struct tsw_gateway_spec *spec, __s64 *modified);

/* GIVEN: FIELD() of gateway_fields. With `host` NO_HOST each host serves its own endpoints. */
int cluster_gateway_put(struct records *r, const struct tsw_name *tenant,
			const struct tsw_gateway_spec *spec, __u64 given, enum spec_how how);

/* FORCE: also deletes its published ports and halves of peerings. -EBUSY: without, it has some. */
int cluster_gateway_del(struct records *r, const struct tsw_name *tenant, bool force);

/* Calls EACH for every gateway, sorted by tenant. TENANT empty: all. REFUSED: as in endpoint.h. */
typedef int cluster_each_gateway(void *context, const char *tenant,
				 const struct tsw_gateway_spec *spec);
int cluster_gateways(const struct records *r, const struct tsw_name *tenant, size_t *refused,
		     cluster_each_gateway *each, void *context);

#endif
