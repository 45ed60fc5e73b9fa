// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "base/problem.h"
#include "object/spec.h"
#include "object/tenant.h"
#include "object/trial.h"
#include "record/fields.h"
#include "record/tenant_find.h"

const struct tsw_name trial_name = {"tsw test"};

static int remove_left(struct tsw *t, bool dry, json_t *removed)
{
	struct tsw_tenant tenant;
	__u32 id;
	int err = tenant_lookup(t, &trial_name, &id, &tenant);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (removed)
		problem(removed, "test_tenant", trial_name.s, "a killed `tsw test` left it");
	return dry ? 0 : trial_del(t);
}

int trial_add(struct tsw *t)
{
	struct tsw_tenant_spec spec = TSW_TENANT_DEFAULTS;
	int err = remove_left(t, false, NULL);

	spec.name = trial_name;
	spec.automatic = TSW_AUTO_ID;
	return err ?: spec_tenant(t, &spec, FIELD(TENANT_ID), SPEC_ADD);
}

int trial_del(struct tsw *t)
{
	return tenant_del(t, &trial_name, true);
}

int trial_sweep(struct tsw *t, bool dry, json_t *removed)
{
	return remove_left(t, dry, removed);
}
