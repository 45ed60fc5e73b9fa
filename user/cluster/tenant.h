/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tenants of a cluster: `tenant/NAME`, and the claim on its id, `vni/ID`, by which all that it has
 * is found. A claim whose tenant is not there, or has another id, is an orphan.
 */
#ifndef TSW_CLUSTER_TENANT_H
#define TSW_CLUSTER_TENANT_H

#include <tsw/object.h>

#include "cluster/record.h"

/* -ENOENT with a message. MODIFIED may be NULL. */
int cluster_tenant_get(const struct records *r, const struct tsw_name *name,
		       struct tsw_tenant_spec *spec, __s64 *modified);

/*
 * VNI is the tenant's claim on its id, which is a condition of all that is done to its endpoints
 * and gateway. -EAGAIN, or AGAIN -EINVAL: it is not.
 */
int cluster_tenant_owns(const struct seen *vni, const struct tsw_name *tenant, bool again);

/*
 * GIVEN: FIELD() of tenant_fields. Without an id, or with TSW_AUTO_ID, it keeps its own or gets a
 * random one. GOT is what is there then.
 */
int cluster_tenant_put(struct records *r, const struct tsw_tenant_spec *spec, __u64 given,
		       enum spec_how how, struct tsw_tenant_spec *got);

/*
 * FORCE: with all that it has. That is more than one transaction: the tenant, its endpoints and
 * their claims, gateway, published ports and peerings go at once; then the hosts' indices, and the
 * claim on the id as the last, so that nobody gets it before. Killed in between it is completed by
 * the same again, for which, with no tenant of that name, all claims on ids are read.
 */
int cluster_tenant_del(struct records *r, const struct tsw_name *name, bool force);

/* EACH by name. ENDPOINTS: how many it has. Records that are none are counted. */
typedef int cluster_each_tenant(void *context, const struct tsw_tenant_spec *spec, __s64 endpoints);
int cluster_tenant_one(const struct records *r, const struct tsw_name *name,
		       cluster_each_tenant *each, void *context);
int cluster_tenants(const struct records *r, size_t *refused, cluster_each_tenant *each,
		    void *context);

#endif
