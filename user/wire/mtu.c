// SPDX-License-Identifier: GPL-2.0-only
#include "base/text.h"
#include "wire/mtu.h"
#include "wire/underlay.h"

__u32 host_mtu(const struct tsw *t, __u32 route, __u32 told)
{
	return mtu_inside(t, route && (!told || route < told) ? route : told);
}

/* The family of the longest outer header to any host. Without hosts that of a first one. */
static int widest(struct tsw *t, enum tsw_family *family)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = t->widest == WIDEST_UNKNOWN ? map_rows(&t->maps, MAP_HOSTS, &rows) : 0;

	if (err)
		return err;
	if (t->widest == WIDEST_UNKNOWN) {
		t->widest =
			!rows.n && addr_is_none(&t->config.local[TSW_IPV4]) ? TSW_IPV6 : TSW_IPV4;
		for (i = 0; i < rows.n; i++)
			if (((const struct tsw_host *)row_value(&rows, i))->family == TSW_IPV6)
				t->widest = TSW_IPV6;
	}
	*family = t->widest;
	return 0;
}

int tenant_mtu_limit(struct tsw *t, enum tsw_encap encap, __u32 *limit)
{
	const __u32 mtu = underlay_mtu(t);
	enum tsw_family family;
	int err = widest(t, &family);
	__u32 overhead;

	*limit = 0;
	if (err)
		return err;
	overhead = TSW_OVERHEAD(encap, family);
	if (mtu > overhead)
		*limit = mtu - overhead;
	return 0;
}

int tenant_mtu_limits(struct tsw *t, __u32 limit[TSW_ENCAPS])
{
	int encap, err = 0;

	for (encap = 0; !err && encap < TSW_ENCAPS; encap++)
		err = tenant_mtu_limit(t, encap, &limit[encap]);
	return err;
}

__u32 tenant_mtu(__u32 asked, __u32 limit)
{
	return asked && (!limit || asked < limit) ? asked : limit;
}
