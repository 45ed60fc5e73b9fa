/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Endpoints of a cluster: `e/ID/NAME`, claims on what each has, and `at/HOST/ID/NAME`, by which the
 * host finds its own (host_index.h).
 */
#ifndef TSW_CLUSTER_ENDPOINT_H
#define TSW_CLUSTER_ENDPOINT_H

#include <tsw/object.h>

#include "cluster/record.h"

/*
 * GIVEN: FIELD() of endpoint_fields. Without a tenant (SPEC_SET) it is looked for in all of them;
 * without a MAC it gets a random one, without addresses one of each net, as with `automatic`.
 * A device is this member's own. GOT: what is there then.
 */
int cluster_endpoint_put(struct records *r, const struct tsw_endpoint_spec *spec, __u64 given,
			 enum spec_how how, struct tsw_endpoint_spec *got);

/* TENANT empty: the only one that has such an endpoint. WAS: what was there, or NULL. */
int cluster_endpoint_del(struct records *r, const struct tsw_name *tenant,
			 const struct tsw_name *name, struct tsw_endpoint_spec *was);

/* The record at KEY. */
int cluster_endpoint_read(const char *key, const char *value, struct tsw_endpoint_spec *spec);

/* Which tenant's it is; one key of each tenant is read. -ENOENT; -ENOTUNIQ: of several. */
int cluster_endpoint_tenant(const struct records *r, const struct tsw_name *name,
			    struct tsw_name *tenant);

/* EACH by tenant and name. TENANT or NAME empty: all. Records that are none are counted. */
typedef int cluster_each_endpoint(void *context, const struct tsw_endpoint_spec *spec);
int cluster_endpoints(const struct records *r, const struct tsw_name *tenant,
		      const struct tsw_name *name, size_t *refused, cluster_each_endpoint *each,
		      void *context);

#endif
