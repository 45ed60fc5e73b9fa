// SPDX-License-Identifier: GPL-2.0-only
#include "base/text.h"
#include "door/index.h"
#include "door/routed.h"
#include "object/gateway_check.h"
#include "object/peer.h"
#include "record/endpoint_find.h"
#include "record/gateway_find.h"

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
	return err ?: endpoint_check_room(t, fresh);
}
