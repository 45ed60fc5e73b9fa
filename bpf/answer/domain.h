/* SPDX-License-Identifier: GPL-2.0-only */
/* The domain in which a tenant's endpoints have names. */
#ifndef TSW_BPF_ANSWER_DOMAIN_H
#define TSW_BPF_ANSWER_DOMAIN_H

#include "core/tenant.h"

TSW_HASH(tsw_domains, __u32, struct tsw_domain);

/* NULL: the tenant's questions are not answered. */
static __always_inline struct tsw_domain *dns_domain(__u32 tenant)
{
	struct tsw_tenant *t = tenant_get(tenant);

	return t && t->flags & TSW_TENANT_DNS ? bpf_map_lookup_elem(&tsw_domains, &tenant) : NULL;
}

#endif
