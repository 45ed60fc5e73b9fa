// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/err.h"
#include "object/gateway_check.h"
#include "door/index.h"
#include "object/peer.h"
#include "door/routed.h"
#include "base/text.h"
#include "record/endpoint_find.h"
#include "record/gateway_find.h"

static int check_mac(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		     const struct tsw_gateway *want)
{
	const struct tsw_fdb_key key = {.tenant = tenant, .mac = want->mac};
	struct tsw_fdb at;
	int err;

	if (old && !(old->flags & TSW_GATEWAY_PENDING) && mac_equal(&old->mac, &want->mac))
		return 0;
	err = map_get(&t->maps, MAP_FDB, &key, &at);
	if (err || at.place == TSW_PLACE_GATEWAY)
		return err == -ENOENT ? 0 : err;
	return fail(EEXIST, "the tenant already has the MAC %s%s", mac_text(&want->mac),
		    endpoint_owner_text(t, tenant, &want->mac));
}

/* FRESH: how many of the addresses are not there yet. */
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
	const __u32 room = maps_addrs(t->config.max_tenants, t->config.max_endpoints);
	__u32 fresh;
	int err = check_mac(t, tenant, old, want);

	if (!err)
		err = check_addrs(t, tenant, old, want, &fresh);
	if (!err)
		err = check_words(want);
	if (!err)
		err = routed_check(t, old, want);
	if (!err && gateway_is_ready(want) && !(old && old->index))
		err = index_check(t);
	if (!err && old)
		err = peer_check_prefixes(t, tenant, want);
	if (!err && t->totals.addrs + fresh > room)
		err = fail(ENOSPC,
			   "the switch is full: max-endpoints %u and max-tenants %u allow %u "
			   "addresses",
			   t->config.max_endpoints, t->config.max_tenants, room);
	return err;
}
