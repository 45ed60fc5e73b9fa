// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/err.h"
#include "base/text.h"
#include "record/gateway_find.h"
#include "record/tenant_find.h"

int gateway_get(const struct tsw *t, __u32 tenant, struct tsw_gateway *gw)
{
	return map_get(&t->maps, MAP_GATEWAYS, &tenant, gw);
}

int gateway_find(const struct tsw *t, const struct tsw_name *name, __u32 *id,
		 struct tsw_gateway *gw)
{
	struct tsw_tenant tenant;
	int err = tenant_find(t, name, id, &tenant);

	if (err)
		return err;
	err = gateway_get(t, *id, gw);
	return err == -ENOENT ? fail(ENOENT, "tenant %s has no gateway", quoted(name->s)) : err;
}

bool gateway_is_served(const struct tsw_gateway *gw)
{
	return !gw->host;
}

bool gateway_has(const struct tsw_gateway *gw, const struct tsw_addr *addr)
{
	__u32 i;

	for (i = 0; i < gw->n_addrs; i++)
		if (addr_equal(&gw->addr[i].addr, addr))
			return true;
	return false;
}
