/* SPDX-License-Identifier: GPL-2.0-only */
/* The domain in which a tenant's endpoints have names: tsw_domains. */
#ifndef TSW_RECORD_DOMAIN_H
#define TSW_RECORD_DOMAIN_H

#include <tsw/object.h>

#include "store/tsw.h"

/*
 * TENANT.DOMAIN, of which an empty one is TSW_DOMAIN. False: no domain can have that tenant's name.
 */
bool domain_make(const struct tsw_name *tenant, const struct tsw_name *name,
		 struct tsw_domain *domain);

/* Back from that: what the tenant's user has named. Empty: TSW_DOMAIN, or nothing. */
struct tsw_name domain_name(const char *tenant, const struct tsw_domain *domain);
int domain_load(const struct tsw *t, __u32 id, const char *tenant, struct tsw_name *name);

/*
 * Where the tenant has dns on, or a domain of its own. -EINVAL with a message: see domain_make().
 */
int domain_put(const struct tsw *t, const struct tsw_tenant_spec *spec);

/* Where it has neither now. */
int domain_end(const struct tsw *t, const struct tsw_tenant_spec *spec);

#endif
