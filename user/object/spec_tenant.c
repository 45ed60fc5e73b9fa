// SPDX-License-Identifier: GPL-2.0-only

#include "base/err.h"
#include "object/auto.h"
#include "object/limit.h"
#include "object/spec.h"
#include "object/tenant.h"
#include "record/description.h"
#include "record/domain.h"
#include "record/flow_list.h"
#include "record/nets.h"
#include "record/policy_find.h"
#include "record/share.h"
#include "record/tenant_find.h"

int spec_check_id(const struct tsw_tenant_spec *spec, __u64 given)
{
	const __u32 most = tenant_id_max(spec->encap);

	if (!(given & FIELD(TENANT_ID)) || spec->id <= most)
		return 0;
	return misuse("\"%u\" is not a decimal number from 1 to %u", spec->id, most);
}

static int load(const struct tsw *t, const struct tsw_name *name, struct tsw_tenant *tenant,
		struct tsw_tenant_spec *spec)
{
	struct tsw_flow_table flows;
	struct tsw_share share;
	struct tsw_nets nets;
	int err = tenant_find(t, name, &spec->id, tenant);

	if (err)
		return err;
	tenant_to_spec(tenant, spec);
	err = limits_load(t, spec->id, &limits_tenant, &spec->limits);
	if (!err)
		err = nets_load(t, spec->id, &nets);
	if (err)
		return err;
	spec->net = nets_list(&nets);
	err = policy_load_mode(t, spec->id, tenant->flags, spec);
	if (!err)
		err = flow_table_load(t, spec->id, &flows);
	if (err)
		return err;
	spec->flow_entries = flows.entries;
	err = share_load(t, spec->id, &share);
	if (err)
		return err;
	spec->max_endpoints = share.endpoints;
	err = domain_load(t, spec->id, tenant->name, &spec->domain);
	return err ?: description_load(t, spec->id, &spec->description);
}

int spec_get_tenant(const struct tsw *t, const struct tsw_name *name, struct tsw_tenant_spec *spec)
{
	struct tsw_tenant tenant;

	*spec = (struct tsw_tenant_spec){};
	return load(t, name, &tenant, spec);
}

/* What is given becomes the tenant's, which has the rest. */
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
	struct tsw_tenant_spec want = {};
	struct tsw_tenant tenant;
	int err = load(t, &spec->name, &tenant, &want);

	if (err)
		return err;
	err = take(t, spec, given, &want);
	if (!err)
		err = spec_check_id(&want, given);
	if (!err)
		err = rule_tenant_id(want.id, tenant_id_max(want.encap));
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
