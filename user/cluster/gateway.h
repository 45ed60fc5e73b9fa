/* SPDX-License-Identifier: GPL-2.0-only */
/* Tenants' gateways in a cluster: `gateway/TENANT`, with claims as an endpoint's. */
#ifndef TSW_CLUSTER_GATEWAY_H
#define TSW_CLUSTER_GATEWAY_H

#include <tsw/object.h>

#include "cluster/record.h"

/* -ENOENT with a message. */
int cluster_gateway_get(const struct records *r, const struct tsw_name *tenant,
			struct tsw_gateway_spec *spec, __s64 *modified);

/* GIVEN: FIELD() of gateway_fields; `host` NO_HOST: each host its own. */
int cluster_gateway_put(struct records *r, const struct tsw_name *tenant,
			const struct tsw_gateway_spec *spec, __u64 given, enum spec_how how);

/* FORCE: with its published ports and halves of peerings; without, these are refused. */
int cluster_gateway_del(struct records *r, const struct tsw_name *tenant, bool force);

/* EACH by tenant. TENANT empty: all. */
typedef int cluster_each_gateway(void *context, const char *tenant,
				 const struct tsw_gateway_spec *spec);
int cluster_gateways(const struct records *r, const struct tsw_name *tenant, size_t *refused,
		     cluster_each_gateway *each, void *context);

#endif
