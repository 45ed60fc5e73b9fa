// SPDX-License-Identifier: GPL-2.0-only
#include "base/err.h"
#include "object/auto.h"
#include "object/spec.h"
#include "object/tenant.h"
#include "record/limits.h"
#include "record/tenant_find.h"

int spec_check_id(const struct tsw_tenant_spec *spec, __u64 given)
{
	const __u32 most = tenant_id_max(spec->encap);

	if (!(given & FIELD(TENANT_ID)) || spec->id <= most)
		return 0;
	return misuse("\"%u\" is not a decimal number from 1 to %u", spec->id, most);
}

int spec_get_tenant(const struct tsw *t, const struct tsw_name *name, struct tsw_tenant_spec *spec)
{
	struct tsw_tenant tenant;
	__u32 id;
	int err;

	*spec = (struct tsw_tenant_spec){};
	err = tenant_find(t, name, &id, &tenant);
	return err ?: tenant_load(t, id, &tenant, spec);
}

/* Copies the given fields into TENANT, which keeps the others. */
static int take(struct tsw *t, const struct tsw_tenant_spec *spec, __u64 given,
		struct tsw_tenant_spec *tenant)
{
	int err;

	fields_copy(tenant_fields, given, spec, tenant);
	err = limits_settle(&tenant->limits, given & FIELD(TENANT_BURST));
	return !err && spec->automatic & TSW_AUTO_ID ? auto_id(t, tenant) : err;
}

static int set(struct tsw *t, const struct tsw_tenant_spec *spec, __u64 given)
{
	struct tsw_tenant_spec want;
	int err = spec_get_tenant(t, &spec->name, &want);

	if (err)
		return err;
	err = take(t, spec, given, &want);
	err = err ?: spec_check_id(&want, given);
	err = err ?: rule_tenant_id(want.id, tenant_id_max(want.encap));
	return err ?: tenant_replace(t, &want);
}

int spec_tenant(struct tsw *t, const struct tsw_tenant_spec *spec, __u64 given, enum spec_how how)
{
	struct tsw_tenant_spec want = TSW_TENANT_DEFAULTS;
	int err;

	if (how == SPEC_SET)
		return set(t, spec, given);
	err = take(t, spec, given | FIELD(TENANT_NAME), &want);
	if (err)
		return err;
	return how == SPEC_ADD ? tenant_add(t, &want) : tenant_replace(t, &want);
}
