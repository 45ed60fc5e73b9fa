// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/spell.h"
#include "base/text.h"
#include "record/fields.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

const char *encap_text(__u32 encap)
{
	return word_encaps[encap < TSW_ENCAPS ? encap : TSW_ENCAP_VXLAN];
}

__u32 tenant_id_max(__u32 encap)
{
	return encap == TSW_ENCAP_GRE ? ~0U : TSW_VNI_MAX;
}

/* A tenant exists if its name and id lead to each other. A killed command may leave one only. */
int tenant_lookup(const struct tsw *t, const struct tsw_name *name, __u32 *id,
		  struct tsw_tenant *tenant)
{
	int err;

	if (t->counted_tenant.id && !strcmp(t->counted_tenant.tenant.name, name->s)) {
		*id = t->counted_tenant.id;
		*tenant = t->counted_tenant.tenant;
		return 0;
	}
	err = map_get(&t->maps, MAP_TENANT_IDS, name, id);
	err = err ?: map_get(&t->maps, MAP_TENANTS, id, tenant);
	if (!err && strcmp(tenant->name, name->s))
		err = -ENOENT;
	return err;
}

int tenant_find(const struct tsw *t, const struct tsw_name *name, __u32 *id,
		struct tsw_tenant *tenant)
{
	int err = tenant_lookup(t, name, id, tenant);

	return err == -ENOENT ? rule_missing("tenant", name->s) : err;
}

int tenant_id(const struct tsw *t, const struct tsw_name *name, __u32 *id)
{
	struct tsw_tenant unused;

	*id = 0;
	return *name->s ? tenant_find(t, name, id, &unused) : 0;
}

struct tsw_name tenant_name_of(const struct tsw *t, __u32 id)
{
	struct tsw_tenant tenant;
	struct tsw_name name = {};

	if (!map_get(&t->maps, MAP_TENANTS, &id, &tenant))
		memcpy(name.s, tenant.name, sizeof(name.s));
	return name;
}

const char *tenant_text(const struct tsw *t, __u32 id)
{
	return quoted(tenant_name_of(t, id).s);
}

void tenant_to_spec(const struct tsw_tenant *tenant, struct tsw_tenant_spec *spec)
{
	memcpy(spec->name.s, tenant->name, sizeof(spec->name.s));
	spec->encap = tenant->encap;
	spec->mtu = tenant->mtu;
	spec->policy = tenant->flags & TSW_TENANT_POLICY ? TSW_POLICY_ON : TSW_POLICY_OFF;
	fields_from_flags(tenant_fields, tenant->flags, spec);
}

void tenant_from_spec(const struct tsw_tenant_spec *spec, struct tsw_tenant *tenant)
{
	memcpy(tenant->name, spec->name.s, sizeof(tenant->name));
	tenant->encap = spec->encap;
	tenant->mtu = spec->mtu;
	tenant->flags = fields_to_flags(tenant_fields, spec, tenant->flags & ~TSW_TENANT_POLICY) |
			(spec->policy ? TSW_TENANT_POLICY : 0);
}
