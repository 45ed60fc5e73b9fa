// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "record/prefix_find.h"

int prefixes_load(const struct tsw *t, const struct tsw_fdb_key *who, struct tsw_prefix_list *list)
{
	struct tsw_prefix_set set;
	int err = map_get_or_zero(&t->maps, MAP_PREFIX_LISTS, who, &set);

	*list = (struct tsw_prefix_list){};
	for (; list->n < set.n && list->n < TSW_PREFIXES; list->n++)
		list->at[list->n] = set.at[list->n];
	return err;
}

int prefix_behind(const struct tsw *t, const struct tsw_addr_key *addr, struct tsw_behind *behind)
{
	const struct tsw_prefix_key key = {.len = 8 * sizeof(*addr), .of = *addr};

	return map_get(&t->maps, MAP_PREFIXES, &key, behind);
}

int addr_owner(const struct tsw *t, const struct tsw_addr_key *addr, struct tsw_mac *mac)
{
	struct tsw_addr_owner owner;
	struct tsw_behind behind;
	int err = map_get(&t->maps, MAP_ADDRS, addr, &owner);

	if (!err)
		*mac = owner.mac;
	if (err != -ENOENT)
		return err;
	err = prefix_behind(t, addr, &behind);
	if (!err)
		*mac = behind.mac;
	return err;
}

bool prefixes_have(const struct tsw_prefix_list *list, const struct tsw_prefix *prefix)
{
	__u32 i;

	for (i = 0; i < list->n; i++)
		if (list->at[i].len == prefix->len && addr_equal(&list->at[i].addr, &prefix->addr))
			return true;
	return false;
}

bool prefixes_equal(const struct tsw_prefix_list *a, const struct tsw_prefix_list *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->at, b->at, a->n * sizeof(a->at[0])));
}
