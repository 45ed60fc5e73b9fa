/* SPDX-License-Identifier: GPL-2.0-only */
/* Networks behind endpoints, in tsw_prefixes for programs, and in tsw_prefix_lists. */
#ifndef TSW_OBJECT_PREFIX_H
#define TSW_OBJECT_PREFIX_H

#include "record/endpoint_find.h"

/* Fails if a network that WANT has beyond OLD, which may be NULL, is not free. */
int prefixes_check(struct tsw *t, const struct endpoint *old, const struct endpoint *want);

/* Fails if a network behind an endpoint of the tenant contains one of its N own networks NET. */
int prefixes_check_own(const struct tsw *t, __u32 tenant, const struct tsw_prefix *net, __u32 n);

/* The same for a tenant's nets. */
int prefixes_check_nets(struct tsw *t, const struct tsw_tenant_spec *spec);

/* Fails if a network behind an endpoint of the tenant overlaps one of the N networks of PEER. */
int prefixes_check_peer(const struct tsw *t, __u32 tenant, const struct tsw_prefix *net, __u32 n,
			const char *peer);

/* Writes which networks EP has, by its MAC: of a new MAC before the record names it. */
int prefixes_store(const struct tsw *t, const struct endpoint *ep);

/* Writes the entries of EP. A kill in between is mended by prefixes_settle(). */
int prefixes_install(const struct tsw *t, const struct endpoint *ep);

/* Deletes the entries of OLD that WANT, which may be NULL, does not have. */
int prefixes_uninstall(const struct tsw *t, const struct endpoint *old,
		       const struct endpoint *want);

/* Makes tsw_prefixes what tsw_prefix_lists says. Each list belongs to an endpoint. */
int prefixes_settle(const struct tsw *t);

#endif
