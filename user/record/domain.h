/* SPDX-License-Identifier: GPL-2.0-only */
/* The domain in which a tenant's endpoints have names: tsw_domains. */
#ifndef TSW_RECORD_DOMAIN_H
#define TSW_RECORD_DOMAIN_H

#include "store/tsw.h"

/* TENANT.tsw.internal. False: no domain can have that tenant's name. */
bool domain_make(const struct tsw_name *tenant, struct tsw_domain *domain);

/* -EINVAL with a message: see domain_make(). */
int domain_put(const struct tsw *t, __u32 id, const struct tsw_name *tenant);

#endif
