/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Endpoints of a cluster. An endpoint has a record `e/ID/NAME`, where ID is the tenant's; claims on
 * its MAC and its addresses (claims.h); and an entry in its host's index (host_index.h).
 */
#ifndef TSW_CLUSTER_ENDPOINT_H
#define TSW_CLUSTER_ENDPOINT_H

#include <tsw/object.h>

#include "cluster/record.h"

/*
 * Adds or changes an endpoint. GIVEN: FIELD() of endpoint_fields. SPEC_SET without a tenant finds
 * the endpoint in any tenant. A new endpoint without a MAC gets a random one, and without addresses
 * one of each net of its tenant. A device without a host is one of this host. GOT, if not NULL,
 * gets the result.
 */
int cluster_endpoint_put(struct records *r, const struct tsw_endpoint_spec *spec, __u64 given,
			 enum spec_how how, struct tsw_endpoint_spec *got);

/*
 * TENANT empty: as cluster_endpoint_tenant(). MODIFIED, if not 0: only the record of that revision;
 * -ECANCELED if it is another by now. WAS, if not NULL, gets the deleted endpoint.
 */
int cluster_endpoint_del(struct records *r, const struct tsw_name *tenant,
			 const struct tsw_name *name, __s64 modified,
			 struct tsw_endpoint_spec *was);

/* Reads the record at KEY. The tenant's name stays empty. */
int cluster_endpoint_read(const char *key, const char *value, struct tsw_endpoint_spec *spec);

/* Finds the only tenant with an endpoint NAME. -ENOTUNIQ: several tenants have one. */
int cluster_endpoint_tenant(const struct records *r, const struct tsw_name *name,
			    struct tsw_name *tenant);

/*
 * Calls EACH for every endpoint, sorted by tenant and name. TENANT or NAME empty: any. Adds to
 * *REFUSED the number of invalid records.
 */
typedef int cluster_each_endpoint(void *context, const struct tsw_endpoint_spec *spec);
int cluster_endpoints(const struct records *r, const struct tsw_name *tenant,
		      const struct tsw_name *name, size_t *refused, cluster_each_endpoint *each,
		      void *context);

#endif
