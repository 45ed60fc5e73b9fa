// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "record/domain.h"

enum { LABEL_MAX = 63 }; /* octets: RFC 1035 section 2.3.4 */

_Static_assert(1 + sizeof(((struct tsw_name *)0)->s) + sizeof(TSW_DOMAIN) < TSW_DOMAIN_MAX,
	       "any tenant's fits");

bool domain_make(const struct tsw_name *tenant, struct tsw_domain *domain)
{
	__u32 label = 0, i;

	*domain = (struct tsw_domain){};
	domain->len =
		(__u32)snprintf(domain->text, sizeof(domain->text), ".%s." TSW_DOMAIN, tenant->s);
	for (i = 0; i < domain->len; i++) {
		const char c = domain->text[i];

		/* The programs compare what is asked in lower case of ASCII alone: RFC 4343. */
		if (c >= 'A' && c <= 'Z')
			domain->text[i] = (char)(c | 0x20);
		domain->wire[i] = (__u8)domain->text[i];
		if (c == '.')
			label = i;
		else
			domain->wire[label] = (__u8)(i - label);
		if (i - label > LABEL_MAX || (c == '.' && domain->text[i + 1] == '.'))
			return false;
	}
	return true;
}

int domain_put(const struct tsw *t, __u32 id, const struct tsw_name *tenant)
{
	struct tsw_domain domain;

	if (!domain_make(tenant, &domain))
		return fail(EINVAL, "tenant %s cannot have dns on: a domain has no empty part",
			    quoted(tenant->s));
	return map_put(&t->maps, MAP_DOMAINS, &id, &domain);
}
