/* SPDX-License-Identifier: GPL-2.0-only */
/* The domain in which a tenant's endpoints have names, and its map tsw_domains. */
#ifndef TSW_RECORD_DOMAIN_H
#define TSW_RECORD_DOMAIN_H

#include <tsw/object.h>

#include "store/tsw.h"

/* Makes TENANT.NAME, or TENANT.tsw.internal if NAME is empty. False: not a valid domain. */
bool domain_make(const struct tsw_name *tenant, const struct tsw_name *name,
		 struct tsw_domain *domain);

/* Returns the NAME that the user gave. Empty: tsw.internal, or DOMAIN is empty. */
struct tsw_name domain_name(const char *tenant, const struct tsw_domain *domain);
/* Sets SPEC's domain from the map. */
int domain_load(const struct tsw *t, struct tsw_tenant_spec *spec);

/* -EINVAL: the tenant has dns on or a domain, and domain_make() cannot make it. */
int domain_check(struct tsw *t, const struct tsw_tenant_spec *spec);
/* Writes the domain of a tenant that has dns on, or a domain of its own. */
int domain_put(const struct tsw *t, const struct tsw_tenant_spec *spec);
/* Deletes the domain of a tenant that has neither. */
int domain_end(const struct tsw *t, const struct tsw_tenant_spec *spec);

/* Whether a killed command left the domain VALUE: the tenant has neither DNS nor that domain. */
bool domain_is_left(const struct tsw_tenant *tenant, const void *value);

#endif
