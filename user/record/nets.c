// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "record/choice.h"
#include "record/nets.h"

enum { ROOM = 8 }; /* a full map loses one entry of so many at once, the oldest */

int nets_load(const struct tsw *t, __u32 tenant, struct tsw_nets *nets)
{
	return map_get_or_zero(&t->maps, MAP_NETS, &tenant, nets);
}

struct tsw_prefix_list nets_list(const struct tsw_nets *nets)
{
	struct tsw_prefix_list list = {};

	for (; list.n < nets->n && list.n < TSW_NETS; list.n++)
		list.at[list.n] = nets->at[list.n].prefix;
	return list;
}

bool nets_have(const struct tsw_nets *nets, const struct tsw_addr *addr)
{
	__u32 i;

	for (i = 0; i < nets->n && i < TSW_NETS; i++)
		if (prefix_has(&nets->at[i].prefix, addr))
			return true;
	return false;
}

int addrs_check(const struct tsw_addr *ip, unsigned int n)
{
	unsigned int i;

	for (i = 1; i < n; i++)
		if (addr_is_among(&ip[i], ip, i))
			return misuse("address %s is given twice", addr_text(&ip[i]));
	return 0;
}

int net_check(const struct tsw_prefix *net, const struct tsw_addr *addr)
{
	const struct choice of = choice_of(net);

	return choice_has(&of, addr) ? 0
				     : misuse("%s is no address that a host can have in net %s",
					      addr_text(addr), prefix_text(net));
}

int nets_check(const struct tsw_prefix_list *nets, const struct tsw_addr *addr)
{
	__u32 i;
	int err = 0;

	for (i = 0; !err && i < nets->n; i++)
		if (prefix_has(&nets->at[i], addr))
			err = net_check(&nets->at[i], addr);
	return err;
}

int nets_check_new(const struct tsw_prefix_list *nets, const struct tsw_addr *old,
		   unsigned int n_old, const struct tsw_addr *want, unsigned int n)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < n; i++)
		if (!addr_is_among(&want[i], old, n_old))
			err = nets_check(nets, &want[i]);
	return err;
}

static struct tsw_addr last_of(const struct tsw_nets *nets, const struct tsw_prefix *prefix)
{
	__u32 i;

	for (i = 0; i < nets->n && i < TSW_NETS; i++)
		if (!memcmp(&nets->at[i].prefix, prefix, sizeof(*prefix)))
			return nets->at[i].last;
	return (struct tsw_addr){};
}

int nets_put(const struct tsw *t, __u32 tenant, const struct tsw_prefix_list *list)
{
	struct tsw_nets old, new = {.n = list->n};
	__u32 i;
	int err = nets_load(t, tenant, &old);

	for (i = 0; i < list->n; i++)
		new.at[i] = (struct tsw_net){list->at[i], last_of(&old, &list->at[i])};
	return err ?: map_store(&t->maps, MAP_NETS, &tenant, &new);
}

/* ---- addresses that rest ---------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sets *LIMIT to a time: entries up to it may be deleted. */
static int find_limit(const struct rows *rows, __u64 now, __u64 *limit)
{
	__u64 *times = calloc(rows->n + 1, sizeof(*times));
	size_t i;

	if (!times)
		return fail_memory();
	for (i = 0; i < rows->n; i++)
		times[i] = *(const __u64 *)row_value(rows, i);
	qsort(times, rows->n, sizeof(*times), compare);
	*limit = rows->n ? times[rows->n / ROOM] : 0;
	if (now > TSW_REST && now - TSW_REST > *limit)
		*limit = now - TSW_REST;
	free(times);
	return 0;
}

/* Deletes the entries that have rested, and in any case the oldest eighth. */
static int make_room(const struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	__u64 limit = 0;
	size_t i;
	int err = map_rows(&t->maps, MAP_GIVEN_UP, &rows);

	err = err ?: find_limit(&rows, clock_kernel_ns(), &limit);
	for (i = 0; !err && i < rows.n; i++)
		if (*(const __u64 *)row_value(&rows, i) <= limit)
			err = map_del(&t->maps, MAP_GIVEN_UP, row_key(&rows, i));
	return err;
}

int addr_give_up(const struct tsw *t, const struct tsw_addr_key *key)
{
	const __u64 now = clock_kernel_ns();
	int err = map_put(&t->maps, MAP_GIVEN_UP, key, &now);

	if (err != -ENOSPC)
		return err;
	err = make_room(t);
	return err ?: map_put(&t->maps, MAP_GIVEN_UP, key, &now);
}

int addr_rests(const struct tsw *t, const struct tsw_addr_key *key, __u64 *left)
{
	const __u64 now = clock_kernel_ns();
	__u64 since;
	int err = map_get(&t->maps, MAP_GIVEN_UP, key, &since);

	*left = !err && now - since < TSW_REST ? TSW_REST - (now - since) : 0;
	return err == -ENOENT ? 0 : err;
}
