// SPDX-License-Identifier: GPL-2.0-only

#include "base/text.h"
#include "cluster/change.h"
#include "cluster/claims.h"
#include "cluster/pick.h"
#include "cluster/reserve.h"
#include "cluster/tenant.h"

struct reserving {
	const struct tsw_name *tenant;
	const struct tsw_prefix *net;
	bool chosen;
	struct tsw_addr addr;
};

static int add_rest(struct records *r, const struct reserving *v, __u32 id, struct change *c)
{
	char ip[MEMBER_KEY], rest[MEMBER_KEY];
	__s64 lease;
	int err = record_rest(r, &lease);

	if (err)
		return err;
	record_key(r, ip, "ip/%u/%s", id, addr_text(&v->addr));
	record_key(r, rest, "rest/%u/%s", id, addr_text(&v->addr));
	change_check(c, ip, 0);
	if (v->chosen)
		change_check(c, rest, 0);
	change_write(c, rest, "{}", lease);
	return 0;
}

static int once(struct records *r, void *context, bool again, struct change *c)
{
	static const struct tsw_addr_list none;
	struct reserving *v = context;
	struct tsw_tenant_spec spec;
	int err = cluster_tenant_get(r, v->tenant, &spec, NULL);

	(void)again;
	if (!err)
		err = v->chosen ? pick_address(r, spec.id, v->net, &none, &v->addr)
				: claims_check_free(r, spec.id, v->tenant, &v->addr);
	return err ?: add_rest(r, v, spec.id, c);
}

int cluster_reserve(struct records *r, const struct tsw_name *tenant, const struct tsw_prefix *net,
		    struct tsw_addr *addr)
{
	struct reserving v = {tenant, net, addr_is_none(addr), *addr};
	int err = record_change(r, once, NULL, &v);

	if (!err)
		*addr = v.addr;
	return err;
}
