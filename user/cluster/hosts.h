/* SPDX-License-Identifier: GPL-2.0-only */
/* The cluster's hosts: a record of each, and a claim on each of its tunnel addresses. */
#ifndef TSW_CLUSTER_HOSTS_H
#define TSW_CLUSTER_HOSTS_H

#include <tsw/object.h>

#include "cluster/member.h"
#include "cluster/record.h"

/*
 * The record of M's host, which is SPEC, has its addresses, keys and any zone, now or already.
 * AGAIN: M was a member before, and the record may be changed; else -EEXIST where another has the
 * name. -EEXIST, too: another host has one of the addresses.
 */
int cluster_host_put(struct etcd *e, const struct member *m, const struct tsw_host_spec *spec,
		     bool again);

/*
 * Takes record and claims back. 0 also where there is no record. -EBUSY: endpoints live there, it
 * serves a gateway, or a port is published on it alone.
 */
int cluster_host_del(struct etcd *e, const struct member *m);

/* One that has not joined, or any other's. The same for the claims. GIVEN: of host_fields. */
int cluster_host_make(struct records *r, const struct tsw_host_spec *spec, __u64 given,
		      enum spec_how how);

/* -ENOENT: there is none. Else as cluster_host_del(). */
int cluster_host_remove(struct records *r, const struct tsw_name *name);

/* Its endpoints, one after the other, before it goes. */
int cluster_host_empty(struct records *r, const struct tsw_name *name);

/* Into C: it is there, and stays as it is. -ENOENT, with what to do. SEEN: what is at its key. */
int cluster_need_host(const struct records *r, struct change *c, const char *name);
int cluster_need_seen_host(const struct records *r, struct change *c, const struct seen *seen);

/* EACH for every host, by name, as of *REVISION. Records that are none of a host are counted. */
typedef int cluster_each_host(void *context, const struct tsw_host_spec *host);
int cluster_hosts(struct etcd *e, const struct member *m, __s64 *revision, size_t *refused,
		  cluster_each_host *each, void *context);

#endif
