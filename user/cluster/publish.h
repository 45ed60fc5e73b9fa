/* SPDX-License-Identifier: GPL-2.0-only */
/* Published ports of a cluster: `publish/TENANT/PROTO/PORT/ipv4|ipv6[/HOST]`. */
#ifndef TSW_CLUSTER_PUBLISH_H
#define TSW_CLUSTER_PUBLISH_H

#include <tsw/object.h>

#include "cluster/record.h"

/* NAME: the key of SPEC's record, without the cluster's prefix. */
void cluster_publish_name(const char *tenant, const struct tsw_publish_spec *spec,
			  char name[MEMBER_KEY]);

/* SPEC's host empty: on every host. -EEXIST: the port is published on one of them already. */
int cluster_publish_add(struct records *r, const struct tsw_name *tenant,
			const struct tsw_publish_spec *spec);

/* SPEC without `to`: of both families. Without a host: on every host. */
int cluster_publish_del(struct records *r, const struct tsw_name *tenant,
			const struct tsw_publish_spec *spec);

/*
 * Withdraws the tenant's ports that lead to one of the addresses IP, while the record at KEY is the
 * one of revision MODIFIED. -ECANCELED: it is another by now.
 */
int cluster_publish_withdraw(struct records *r, const struct tsw_name *tenant,
			     const struct tsw_addr_list *ip, const char *key, __s64 modified);

/*
 * Calls EACH for every published port, sorted by tenant, protocol, port, family and host. TENANT
 * empty: all. REFUSED: as in endpoint.h.
 */
typedef int cluster_each_publish(void *context, const char *tenant,
				 const struct tsw_publish_spec *spec);
int cluster_publishes(const struct records *r, const struct tsw_name *tenant, size_t *refused,
		      cluster_each_publish *each, void *context);

#endif
