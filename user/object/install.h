/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An endpoint's entries, written and removed in an order that a kill at any point
 * leaves harmless: a pending record first, tsw_fdb that leads to it last; back in
 * reverse.
 */
#ifndef TSW_INSTALL_H
#define TSW_INSTALL_H

#include "object/endpoint.h"
#include "record/endpoint_find.h"
#include "store/tsw.h"

/*
 * OLD, or NULL, is what is there under the same key: what both have stays untouched. HOW is 0 or
 * TSW_ENDPOINT_GOING: what a kill meanwhile makes of the endpoint.
 */
int install(struct tsw *t, const struct endpoint *want, const struct endpoint *old, __u32 how);
int install_finish(struct tsw *t, const struct endpoint *want);

/*
 * Removes what OLD has and WANT has not; WANT NULL: all but the record. Where OLD is pending it may
 * have more than it knows, which is searched for.
 */
int uninstall(struct tsw *t, const struct endpoint *old, const struct endpoint *want);
int uninstall_finish(struct tsw *t, const struct endpoint *old);

int install_pending(struct tsw *t, const struct endpoint *ep, __u32 how);
int install_addrs(struct tsw *t, const struct endpoint *ep);

/* The entries of its ports, as it asks for. */
int ports_put(struct tsw *t, const struct endpoint *ep);
/* A port's programs, entry and qdisc. */
int port_remove(struct tsw *t, __u32 ifindex);
/* Puts qdisc and programs back, where its device is not gone. */
int port_mend(struct tsw *t, __u32 ifindex);

/* Both live at the same one, or move from the same to the same. */
bool same_places(const struct endpoint *a, const struct endpoint *b);

#endif
