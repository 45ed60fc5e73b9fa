/* SPDX-License-Identifier: GPL-2.0-only */
/* The other hosts, in tsw_hosts, tsw_host_ids and tsw_vteps. */
#ifndef TSW_HOST_H
#define TSW_HOST_H

#include <tsw/object.h>

#include "store/tsw.h"

/* Finds a host by its name. -ENOENT: with a message; *ID is its index in tsw_hosts. */
int host_find(const struct tsw *t, const struct tsw_name *name, __u32 *id, struct tsw_host *host);

/*
 * WANT has the name, the zone, the addresses, the preferred family and the MTU of the host's
 * underlay; its other members are ignored.
 * KEY lists the host's keys; with NULL an existing host keeps its keys, and a new one has
 * none. host_replace() adds the host, or changes it. -EBUSY: something uses the host to delete.
 */
int host_add(struct tsw *t, const struct tsw_host *want, const struct tsw_key_list *key);
int host_replace(struct tsw *t, const struct tsw_host *want, const struct tsw_key_list *key);
int host_set(struct tsw *t, const struct tsw_host *want, const struct tsw_key_list *key);
/* Deletes the entries of a host that nothing refers to. */
int host_remove(struct tsw *t, __u32 id, const struct tsw_host *host);
/*
 * Refuses a host that endpoints or a gateway need. FORCE: also deletes the endpoints that live
 * there, and ends moves to there. See host_del.c.
 */
int host_del(struct tsw *t, const struct tsw_name *name, bool force);

/*
 * Called after host_set() has added a new key. Waits for the host's handshake with it, and uses it
 * from then on. -ETIMEDOUT: none came in 5 seconds, and the host has the keys OLD again.
 */
int host_await_key(struct tsw *t, const struct tsw_name *name, const struct tsw_key_list *old);

/*
 * Chooses again which address of each host to send to, and the MTU of the route there. Call it
 * after this host's own addresses or routes have changed.
 */
int host_choose_all(struct tsw *t);

/* After a killed command: makes the MTU of the way to each host right again. */
int hosts_settle(struct tsw *t);

#endif
