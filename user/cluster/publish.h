/* SPDX-License-Identifier: GPL-2.0-only */
/* Published ports of a cluster: `publish/TENANT/PROTO/PORT/ipv4|ipv6[/HOST]`. */
#ifndef TSW_CLUSTER_PUBLISH_H
#define TSW_CLUSTER_PUBLISH_H

#include <tsw/object.h>

#include "cluster/record.h"

/* The key of SPEC's record, behind the cluster's prefix. */
void cluster_publish_name(const char *tenant, const struct tsw_publish_spec *spec,
			  char name[MEMBER_KEY]);

/* SPEC's host empty: on each. -EEXIST: the port is published there already. */
int cluster_publish_add(struct records *r, const struct tsw_name *tenant,
			const struct tsw_publish_spec *spec);

/* SPEC without `to`: of both families; without a host: on whatever host. */
int cluster_publish_del(struct records *r, const struct tsw_name *tenant,
			const struct tsw_publish_spec *spec);

/* EACH by tenant, protocol, port and family. TENANT empty: all. */
typedef int cluster_each_publish(void *context, const char *tenant,
				 const struct tsw_publish_spec *spec);
int cluster_publishes(const struct records *r, const struct tsw_name *tenant, size_t *refused,
		      cluster_each_publish *each, void *context);

#endif
