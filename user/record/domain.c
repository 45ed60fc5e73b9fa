// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "record/domain.h"

enum { LABEL_MAX = 63 }; /* octets: RFC 1035 section 2.3.4 */

_Static_assert(1 + (TSW_NAME_LEN - 1) + 1 + DOMAIN_MAX < TSW_DOMAIN_MAX, "the longest ones fit");
_Static_assert(sizeof(TSW_DOMAIN) <= DOMAIN_MAX, "the default domain is within the limit, too");

bool domain_make(const struct tsw_name *tenant, const struct tsw_name *name,
		 struct tsw_domain *domain)
{
	__u32 label = 0, i;

	*domain = (struct tsw_domain){};
	domain->len = (__u32)snprintf(domain->text, sizeof(domain->text), ".%s.%s", tenant->s,
				      name->s[0] ? name->s : TSW_DOMAIN);
	for (i = 0; i < domain->len; i++) {
		const char c = domain->text[i];

		/* Programs compare names in lower case, which RFC 4343 defines for ASCII only. */
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

struct tsw_name domain_name(const char *tenant, const struct tsw_domain *domain)
{
	const size_t at = 1 + strlen(tenant) + 1;
	struct tsw_name name = {};

	if (at < domain->len && strcmp(domain->text + at, TSW_DOMAIN) != 0)
		snprintf(name.s, sizeof(name.s), "%s", domain->text + at);
	return name;
}

int domain_load(const struct tsw *t, struct tsw_tenant_spec *spec)
{
	struct tsw_domain domain;
	int err = map_get_or_zero(&t->maps, MAP_DOMAINS, &spec->id, &domain);

	if (!err)
		spec->domain = domain_name(spec->name.s, &domain);
	return err;
}

static bool has_one(const struct tsw_tenant_spec *spec)
{
	return spec->dns || spec->domain.s[0];
}

int domain_check(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	struct tsw_domain domain;

	(void)t;
	if (!has_one(spec) || domain_make(&spec->name, &spec->domain, &domain))
		return 0;
	return fail(EINVAL, "tenant %s cannot have %s: a domain has no empty part",
		    quoted(spec->name.s), spec->dns ? "dns on" : "a domain");
}

int domain_put(const struct tsw *t, const struct tsw_tenant_spec *spec)
{
	struct tsw_domain domain;

	return has_one(spec) && domain_make(&spec->name, &spec->domain, &domain)
		       ? map_put(&t->maps, MAP_DOMAINS, &spec->id, &domain)
		       : 0;
}

bool domain_is_left(const struct tsw_tenant *tenant, const void *value)
{
	return !(tenant->flags & TSW_TENANT_DNS) && !domain_name(tenant->name, value).s[0];
}

int domain_end(const struct tsw *t, const struct tsw_tenant_spec *spec)
{
	return has_one(spec) ? 0 : map_del(&t->maps, MAP_DOMAINS, &spec->id);
}
