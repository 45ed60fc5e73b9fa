// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/err.h"
#include "base/text.h"
#include "object/gateway.h"
#include "object/gateway_host.h"
#include "record/gateway_find.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

static int refuse_host(const struct tsw *t, __u32 tenant, const struct tsw_gateway *gw, __u32 host)
{
	if (gw->host == host || gateway_has_rank(gw, host))
		return rule_host_serves(tenant_name_of(t, tenant).s, gw->host == host);
	return fail(EBUSY, "the host keeps flows of the gateway of tenant %s for another %u s",
		    tenant_text(t, tenant), gateway_drains(gw));
}

int gateways_check_host(const struct tsw *t, __u32 host)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_GATEWAYS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_gateway *gw = row_value(&rows, i);

		if (gw->host == host || gateway_has_rank(gw, host) ||
		    (gw->old == host && gateway_drains(gw)))
			err = refuse_host(t, *(const __u32 *)row_key(&rows, i), gw, host);
	}
	return err;
}
