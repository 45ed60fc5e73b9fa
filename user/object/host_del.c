// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "object/endpoint.h"
#include "object/gateway_check.h"
#include "object/host.h"
#include "record/count.h"
#include "rules/rules.h"

static bool is_at_host(const struct tsw_fdb *place, __u32 host)
{
	return place->place == TSW_PLACE_HOST && place->id == host;
}

/* Whether the endpoint lives at the host, or moves there. */
static bool needs_host(const struct endpoint *ep, __u32 host)
{
	return (ep->placed && is_at_host(&ep->at, host)) ||
	       (ep->moving && is_at_host(&ep->to, host));
}

/* Deletes an endpoint that is there now, and ends the move of one that is elsewhere. */
static int take_off(struct tsw *t, const struct endpoint *ep, __u32 host)
{
	struct endpoint stays = *ep;
	int err;

	if (is_at_host(endpoint_now(ep), host))
		return endpoint_del(t, ep);
	if (ep->moved) {
		stays.at = ep->to;
		stays.has_port = ep->to_has_port;
	}
	stays.moving = stays.moved = false;
	err = endpoint_stay(t, &stays);
	return err ?: endpoint_change(t, ep, &stays);
}

static int name(const struct tsw *t, const struct tsw_endpoint_key *key, struct rule_names *names)
{
	struct tsw_tenant tenant;
	int err = map_get(&t->maps, MAP_TENANTS, &key->tenant, &tenant);

	if (!err)
		rule_name(names, tenant.name, key->name.s);
	return err == -ENOENT ? 0 : err;
}

/* For each endpoint that needs the host calls name(), or take_off() if NAMES is NULL. */
static int each(struct tsw *t, __u32 host, struct rule_names *names)
{
	cleanup_rows struct rows rows = {};
	struct endpoint ep;
	size_t i;
	int err = map_rows(&t->maps, MAP_ENDPOINTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		err = endpoint_load(t, row_key(&rows, i), &ep);
		if (!err && needs_host(&ep, host))
			err = names ? name(t, &ep.key, names) : take_off(t, &ep, host);
		err = err == -ENOENT ? 0 : err; /* deleted in between */
	}
	return err;
}

static int refuse(struct tsw *t, __u32 id)
{
	struct rule_names names = {};
	int err = each(t, id, &names);

	return err ?: rule_host_del(&names);
}

int host_del(struct tsw *t, const struct tsw_name *name, bool force)
{
	struct tsw_host host;
	__u32 id;
	int err = host_find(t, name, &id, &host);

	if (!err && host.endpoints && !force)
		err = refuse(t, id);
	err = err ?: gateways_check_host(t, id);
	if (!err && host.endpoints && force)
		err = each(t, id, NULL);
	/* A count that is written later would make the entry again. */
	err = err ?: host_flush(t);
	return err ?: host_remove(t, id, &host);
}
