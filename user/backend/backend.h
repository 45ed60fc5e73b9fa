/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where objects are changed: in this host's switch, or in the records of its cluster, which the
 * switch of each host follows. Commands and plug-ins choose one of the two, and ask both alike.
 */
#ifndef TSW_BACKEND_H
#define TSW_BACKEND_H

#include "cluster/record.h"
#include "store/tsw.h"

/* An object as it is asked for. */
struct object {
	enum object_kind kind;
	struct tsw_name tenant;	       /* of one whose specification does not say whose it is */
	union record_spec spec;	       /* the names are enough to find it */
	const struct tsw_name *groups; /* of OBJECT_GROUP: those to make, */
	size_t n_groups;	       /* all of them or none */
};

struct backend {
	const struct backend_calls *calls;
	struct tsw *t;	   /* of a switch it is open */
	struct records *r; /* of a cluster alone */
};

typedef int backend_each_publish(void *context, const char *tenant,
				 const struct tsw_publish_spec *spec);

struct backend_calls {
	/* GIVEN: FIELD() of the object's table. O has then what was chosen for it. */
	int (*put)(const struct backend *b, struct object *o, __u64 given, enum spec_how how);

	/* The endpoint of a record that is deleted is then in O. */
	int (*del)(const struct backend *b, struct object *o, bool force);

	/* A tenant, an endpoint or a gateway; an endpoint without tenant is looked for in all. */
	int (*get)(const struct backend *b, struct object *o);

	/* -ENOENT: the tenant has not all of them. */
	int (*groups)(const struct backend *b, const struct tsw_tenant_spec *tenant,
		      const struct tsw_group_list *list);

	/* Its published ports. */
	int (*publishes)(const struct backend *b, const struct tsw_name *tenant,
			 backend_each_publish *each, void *context);

	/* NET is the tenant's. ADDR, or where that is zero a free one, is given to nobody soon. */
	int (*reserve)(const struct backend *b, const struct tsw_name *tenant,
		       const struct tsw_prefix *net, struct tsw_addr *addr);

	/* The endpoint lives on this host, at the device DEV, which had that index; NULL: any. */
	bool (*is_here)(const struct backend *b, const struct object *o, const char *dev,
			__u32 ifindex);

	/*
	 * Waits up to MS until the endpoint is in this host's switch as its changed record says, or
	 * is GONE; where it is another host's there is nothing to wait for.
	 */
	int (*await)(const struct backend *b, const struct object *o, bool gone, unsigned int ms);
};

extern const struct backend_calls switch_calls, cluster_calls;

/* R NULL: the switch. */
static inline struct backend backend_of(struct tsw *t, struct records *r)
{
	return (struct backend){r ? &cluster_calls : &switch_calls, t, r};
}

#endif
