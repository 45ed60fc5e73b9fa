/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One interface for objects of this host's switch and of its cluster's records, which the switches
 * of all hosts follow. Commands and plug-ins choose one of the two.
 */
#ifndef TSW_BACKEND_H
#define TSW_BACKEND_H

#include "cluster/record.h"
#include "store/tsw.h"

/* An object, as the caller asks for it. */
struct object {
	enum object_kind kind;
	struct tsw_name tenant;	       /* of groups, gateways, published ports and policies */
	union record_spec spec;	       /* to find or delete it, only its names count */
	const struct tsw_name *groups; /* of OBJECT_GROUP: put() makes all of these, or none */
	size_t n_groups;
};

struct backend {
	const struct backend_calls *calls;
	struct tsw *t;	   /* of the switch: open */
	struct records *r; /* of the cluster; NULL: the switch's backend */
	struct dry *dry;   /* of a dry run, see cmd/dry_run.h */
};

typedef int backend_each_publish(void *context, const char *tenant,
				 const struct tsw_publish_spec *spec);

struct backend_calls {
	/* Adds or changes O. GIVEN: FIELD() of its table. O gets the values that were chosen. */
	int (*put)(const struct backend *b, struct object *o, __u64 given, enum spec_how how);

	/* Deletes O. Of a cluster, O gets the endpoint that was deleted. */
	int (*del)(const struct backend *b, struct object *o, bool force);

	/* Reads a tenant, an endpoint or a gateway. Without a tenant searches all of them. */
	int (*get)(const struct backend *b, struct object *o);

	/* Checks that the tenant has all groups of LIST. -ENOENT: one is missing. */
	int (*groups)(const struct backend *b, const struct tsw_tenant_spec *tenant,
		      const struct tsw_group_list *list);

	/* Calls EACH for every published port of the tenant. */
	int (*publishes)(const struct backend *b, const struct tsw_name *tenant,
			 backend_each_publish *each, void *context);

	/* Keeps ADDR, or a free address of the tenant's NET if ADDR is zero, for the caller. */
	int (*reserve)(const struct backend *b, const struct tsw_name *tenant,
		       const struct tsw_prefix *net, struct tsw_addr *addr);

	/*
	 * Does the endpoint live on this host, at DEV, which had IFINDEX? DEV NULL: at any device.
	 */
	bool (*is_here)(const struct backend *b, const struct object *o, const char *dev,
			__u32 ifindex);

	/*
	 * Waits up to MS until this host's switch has the endpoint as its record says, or with GONE
	 * has deleted it. Returns at once if the endpoint is another host's.
	 */
	int (*await)(const struct backend *b, const struct object *o, bool gone, unsigned int ms);
};

extern const struct backend_calls switch_calls, cluster_calls;

/* The cluster's backend, or with R NULL the switch's. */
static inline struct backend backend_of(struct tsw *t, struct records *r)
{
	return (struct backend){r ? &cluster_calls : &switch_calls, t, r, NULL};
}

#endif
