// SPDX-License-Identifier: GPL-2.0-only

#include "base/err.h"
#include "base/text.h"
#include "record/endpoint_find.h"

int vips_load(const struct tsw *t, const struct tsw_fdb_key *who, struct tsw_vip_list *list)
{
	struct tsw_vips vips;
	int err = map_get_or_zero(&t->maps, MAP_VIPS, who, &vips);

	*list = (struct tsw_vip_list){};
	while (!err && list->n < TSW_VIPS && !addr_is_none(&vips.addr[list->n])) {
		list->at[list->n] = vips.addr[list->n];
		list->n++;
	}
	return err;
}

int vips_store(const struct tsw *t, const struct tsw_fdb_key *who, const struct tsw_vip_list *list)
{
	struct tsw_vips vips = {};
	__u32 i;

	for (i = 0; i < list->n; i++)
		vips.addr[i] = list->at[i];
	return map_store(&t->maps, MAP_VIPS, who, &vips);
}

bool vips_list(const struct tsw_vips *vips, const struct tsw_addr *addr)
{
	int i;

	for (i = 0; i < TSW_VIPS; i++)
		if (addr_equal(&vips->addr[i], addr))
			return true;
	return false;
}

bool vips_have(const struct tsw_vip_list *list, const struct tsw_addr *addr)
{
	__u32 i;

	for (i = 0; i < list->n; i++)
		if (addr_equal(&list->at[i], addr))
			return true;
	return false;
}

int vips_check_own(const struct tsw_vip_list *list, const struct tsw_addr *ip, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (vips_have(list, &ip[i]))
			return misuse("address %s is given as ip and as vip", addr_text(&ip[i]));
	return 0;
}

struct tsw_addr_list vips_with(const struct tsw_vip_list *list, const struct tsw_addr_list *ip)
{
	struct tsw_addr_list all = *ip;
	__u32 i;

	for (i = 0; i < list->n && all.n < TSW_ENDPOINT_IPS; i++)
		all.at[all.n++] = list->at[i];
	return all;
}
