/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tenants of a cluster: a record `tenant/NAME`, and a claim on the id, `vni/ID`. Keys of endpoints
 * and policies have the id. A claim is an orphan if its tenant does not exist or has another id.
 */
#ifndef TSW_CLUSTER_TENANT_H
#define TSW_CLUSTER_TENANT_H

#include <tsw/object.h>

#include "cluster/record.h"

/* SPEC and MODIFIED, the record's revision, may be NULL. -ENOENT: no such tenant. */
int cluster_tenant_get(const struct records *r, const struct tsw_name *name,
		       struct tsw_tenant_spec *spec, __s64 *modified);

/*
 * Checks that VNI, the claim on the tenant's id as it was read, is the tenant's. All changes of its
 * endpoints and gateway have that condition. It is not: -EAGAIN, or -EINVAL if AGAIN.
 */
int cluster_tenant_owns(const struct seen *vni, const struct tsw_name *tenant, bool again);

/*
 * Adds or changes a tenant. GIVEN: FIELD() of tenant_fields. Without an id, or with TSW_AUTO_ID, it
 * keeps its id or gets a random one. GOT, if not NULL, gets the result.
 */
int cluster_tenant_put(struct records *r, const struct tsw_tenant_spec *spec, __u64 given,
		       enum spec_how how, struct tsw_tenant_spec *got);

/*
 * Without FORCE the tenant must have no endpoints and no gateway. FORCE deletes everything of it,
 * in several transactions. The first deletes the tenant, its endpoints, claims, gateway, published
 * ports and peerings. Then the hosts' indices follow, and at last the claim on the id, so that
 * nobody gets the id before. If this is killed in between, the same call again completes it.
 */
int cluster_tenant_del(struct records *r, const struct tsw_name *name, bool force);

/* Call EACH for one tenant or for all, sorted by name. REFUSED: as in endpoint.h. */
typedef int cluster_each_tenant(void *context, const struct tsw_tenant_spec *spec, __s64 endpoints);
int cluster_tenant_one(const struct records *r, const struct tsw_name *name,
		       cluster_each_tenant *each, void *context);
int cluster_tenants(const struct records *r, size_t *refused, cluster_each_tenant *each,
		    void *context);

/* The tenants' ids, because keys of endpoints and policies have an id in place of a name. */
struct tenant_ids {
	struct tenant_id {
		__u32 id;
		struct tsw_name name;
	} * all;
	size_t n;
};

/* Reads one tenant, or all with an empty NAME, sorted by name. REFUSED: as in endpoint.h. */
int tenant_ids_read(const struct records *r, const struct tsw_name *name, size_t *refused,
		    struct tenant_ids *ids);
void tenant_ids_free(struct tenant_ids *ids);

/* Sorts by id, for tenant_ids_name(). */
void tenant_ids_sort(struct tenant_ids *ids);
/* NULL: no tenant has the id. */
const struct tsw_name *tenant_ids_name(const struct tenant_ids *ids, __u32 id);

#define cleanup_tenant_ids __attribute__((cleanup(tenant_ids_free)))

#endif
