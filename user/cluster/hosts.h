/* SPDX-License-Identifier: GPL-2.0-only */
/* The cluster's hosts: a record `host/NAME`, and a claim `vtep/IP` on each tunnel address. */
#ifndef TSW_CLUSTER_HOSTS_H
#define TSW_CLUSTER_HOSTS_H

#include <tsw/object.h>

#include "cluster/member.h"
#include "cluster/record.h"

/*
 * Writes SPEC, this host, into the record of M's host: its addresses, its keys, and its zone if it
 * has one. Its claims get the MTU.
 * AGAIN: the host was a member before, so its record may exist. -EEXIST: another host has
 * the name or one of the addresses.
 */
int cluster_host_put(struct etcd *e, const struct member *m, const struct tsw_host_spec *spec,
		     bool again);

/*
 * Deletes the record and the claims of M's host, if they exist. -EBUSY: endpoints live there, it is
 * a host of a gateway, or a port is published only there.
 */
int cluster_host_del(struct etcd *e, const struct member *m);

/* Adds or changes any host, also one that has not joined. GIVEN: FIELD() of host_fields. */
int cluster_host_make(struct records *r, const struct tsw_host_spec *spec, __u64 given,
		      enum spec_how how);

/*
 * Writes GIVEN of SPEC, this host, into its record, addresses with claims that say who has them.
 * Its MTU is written into its claims, because hosts of 0.2.0 refuse a record that has one.
 * If another host has an address, it is -EEXIST; then cluster_host_leave() allows others to take
 * this host's former addresses over. So two hosts can swap theirs.
 */
int cluster_host_own(struct records *r, const struct tsw_host_spec *spec, __u64 given);
int cluster_host_leave(struct records *r, const struct tsw_host_spec *spec);

/* Deletes any host. -ENOENT: it does not exist. Other errors: as cluster_host_del(). */
int cluster_host_remove(struct records *r, const struct tsw_name *name);

/* Refuses a host that serves a gateway, or at which alone a port is published. */
int cluster_host_serves_none(const struct records *r, const struct tsw_name *name);

/* Refuses a host with endpoints, and names them. */
int cluster_host_check_empty(const struct records *r, const struct tsw_name *name);

/* Deletes all endpoints that live on a host, one after the other, and ends moves to it. */
int cluster_host_empty(struct records *r, const struct tsw_name *name);

/* Add to C that a host stays unchanged. SEEN: its key was read. -ENOENT: no such host. */
int cluster_need_host(const struct records *r, struct change *c, const char *name);
int cluster_need_seen_host(const struct records *r, struct change *c, const struct seen *seen);

/*
 * Calls EACH for every host, sorted by name, and sets *REVISION to that of the reading. *REFUSED:
 * the number of invalid records and of keys outside the range. A host whose record has no MTU has
 * the one of its claims.
 */
typedef int cluster_each_host(void *context, const struct tsw_host_spec *host);
int cluster_hosts(struct etcd *e, const struct member *m, __s64 *revision, size_t *refused,
		  cluster_each_host *each, void *context);

#endif
