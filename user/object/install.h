/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes and removes an endpoint's entries in the maps. The pending record comes first, and the
 * entry of tsw_fdb that leads frames there comes last; removal goes the other way. A kill at any
 * point does no harm.
 */
#ifndef TSW_INSTALL_H
#define TSW_INSTALL_H

#include "object/endpoint.h"
#include "record/endpoint_find.h"
#include "store/tsw.h"

/*
 * OLD is the endpoint with the same key, or NULL; entries that both have stay untouched. HOW is 0,
 * or TSW_ENDPOINT_GOING if the endpoint is to be deleted after a kill meanwhile.
 */
int install(struct tsw *t, const struct endpoint *want, const struct endpoint *old, __u32 how);
int install_finish(struct tsw *t, const struct endpoint *want);

/*
 * Removes the entries of OLD that WANT does not have; with WANT NULL, all except the record. A
 * pending OLD may have ports and addresses that its record does not list, so it searches for them.
 */
int uninstall(struct tsw *t, const struct endpoint *old, const struct endpoint *want);
int uninstall_finish(struct tsw *t, const struct endpoint *old);

int install_pending(struct tsw *t, const struct endpoint *ep, __u32 how);
int install_addrs(struct tsw *t, const struct endpoint *ep);

/* Writes the entries of the endpoint's ports. */
int ports_put(struct tsw *t, const struct endpoint *ep);
/* Removes a port's programs, entry and qdisc. */
int port_remove(struct tsw *t, __u32 ifindex);
/* Restores a port's qdisc and programs, unless its device is gone. */
int port_mend(struct tsw *t, __u32 ifindex);

/* Tells whether both live at the same place, or move between the same two places. */
bool same_places(const struct endpoint *a, const struct endpoint *b);

#endif
