// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/err.h"
#include "base/text.h"
#include "door/index.h"
#include "door/routed.h"
#include "object/gateway_check.h"
#include "object/peer.h"
#include "object/prefix.h"
#include "record/endpoint_find.h"
#include "record/gateway_find.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

/* *FRESH: the number of addresses that do not exist yet. */
static int check_addrs(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		       const struct tsw_gateway *want, __u32 *fresh)
{
	struct tsw_addr_key key = {.tenant = tenant};
	__u32 i;
	int err = 0;

	*fresh = 0;
	for (i = 0; !err && i < want->n_addrs; i++) {
		key.addr = want->addr[i].addr;
		err = endpoint_check_addr(t, &key, old ? &old->mac : NULL, fresh);
	}
	return err;
}

static int check_words(const struct tsw_gateway *want)
{
	struct tsw_gateway_spec spec;

	gateway_to_spec(want, &spec);
	return gateway_agrees(&spec);
}

int gateway_check(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		  const struct tsw_gateway *want)
{
	__u32 fresh;
	int err = 0;

	if (!old || old->flags & TSW_GATEWAY_PENDING || !mac_equal(&old->mac, &want->mac))
		err = endpoint_check_mac(t, tenant, &want->mac, true);
	err = err ?: check_addrs(t, tenant, old, want, &fresh);
	err = err ?: check_words(want);
	err = err ?: prefixes_check_own(t, tenant, want->addr, want->n_addrs);
	err = err ?: routed_check(t, tenant, want);
	if (!err && gateway_is_ready(want) && !(old && old->index))
		err = index_check(t);
	if (!err && old)
		err = peer_check_prefixes(t, tenant, want);
	return err ?: endpoint_check_room(t, fresh);
}

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
