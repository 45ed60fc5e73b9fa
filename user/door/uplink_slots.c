// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "door/uplink_slots.h"

struct entry {
	struct tsw_uplink_net net;
	__u32 value;
};

struct entries {
	struct entry *at;
	size_t n;
};

static void entries_free(struct entries *list)
{
	free(list->at);
}

#define cleanup_entries __attribute__((cleanup(entries_free)))

static void add(struct entries *list, struct tsw_uplink_net net, __u32 value)
{
	list->at[list->n++] = (struct entry){net, value};
}

/*
 * Lists the entries that the map should have: the default uplink, one for each way, and one for
 * each device's first network. The last has the device's own slot, because a later and wider
 * network of the device may contain that network.
 */
static int wanted(const struct plan *plan, struct entries *list)
{
	const struct tsw_uplink_net none = {.len = TSW_UPLINK_ANY};
	size_t i;

	*list = (struct entries){.at = calloc(plan->n + plan->local.n + 1, sizeof(*list->at))};
	if (!list->at)
		return fail_memory();
	if (plan->n)
		add(list, none, plan->at[plan->first].link.ifindex);
	for (i = 0; i < plan->n; i++)
		add(list, plan->at[i].net, plan->at[i].slot);
	for (i = 0; i < plan->local.n; i++) {
		const struct address *a = &plan->local.at[i];

		if (plan_leaves(plan, a) == LEAVES_FIRST)
			add(list, uplink_net(a), plan_find(plan, a->ifindex)->slot);
	}
	return 0;
}

static const struct entry *find(const struct entries *list, const struct tsw_uplink_net *net)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!memcmp(&list->at[i].net, net, sizeof(*net)))
			return &list->at[i];
	return NULL;
}

int slots_compare(struct tsw *t, const struct plan *plan, bool drop, size_t *differ)
{
	cleanup_entries struct entries list;
	cleanup_rows struct rows rows = {};
	size_t i, same = 0;
	int err = wanted(plan, &list);

	err = err ?: map_rows(&t->maps, MAP_UPLINK_SLOTS, &rows);
	for (i = 0; !err && i < rows.n; i++) {
		const struct entry *e = find(&list, row_key(&rows, i));

		same += e && e->value == *(const __u32 *)row_value(&rows, i);
		*differ += !e;
		if (!e && drop)
			err = map_del(&t->maps, MAP_UPLINK_SLOTS, row_key(&rows, i));
	}
	*differ += list.n - same;
	return err;
}

int slots_put(struct tsw *t, const struct plan *plan)
{
	cleanup_entries struct entries list;
	size_t i;
	int err = wanted(plan, &list);

	for (i = 0; !err && i < list.n; i++)
		err = map_put(&t->maps, MAP_UPLINK_SLOTS, &list.at[i].net, &list.at[i].value);
	return err;
}

/* Searches the rows, because a look-up in the map may find a wider network. */
static __u32 known(const struct rows *rows, const struct tsw_uplink_net *net)
{
	size_t i;

	for (i = 0; i < rows->n; i++)
		if (!memcmp(row_key(rows, i), net, sizeof(*net)))
			return *(const __u32 *)row_value(rows, i);
	return 0;
}

static bool has_slot(const struct plan *plan, __u32 slot)
{
	size_t i;

	for (i = 0; i < plan->n; i++)
		if (plan->at[i].slot == slot)
			return true;
	return false;
}

/*
 * A free slot. If all are taken a device gets one that a further network of some device has, and a
 * network gets none, which is 0.
 */
static __u32 find_slot(struct plan *plan, bool device)
{
	__u32 slot;
	size_t i;

	for (slot = 1; slot <= TSW_SLOTS; slot++)
		if (!has_slot(plan, slot))
			return slot;
	for (i = plan->n; device && i-- > 0;) {
		slot = plan->at[i].slot;
		if (uplink_is_device(&plan->at[i]) || !slot)
			continue;
		plan->at[i].slot = 0;
		return slot;
	}
	return 0;
}

static int give(struct tsw *t, struct plan *plan)
{
	cleanup_rows struct rows rows = {};
	size_t i, n = 0;
	int err = map_rows(&t->maps, MAP_UPLINK_SLOTS, &rows);

	for (i = 0; i < plan->n; i++)
		plan->at[i].slot = known(&rows, &plan->at[i].net);
	for (i = 0; i < plan->n; i++) {
		struct uplink *uplink = &plan->at[i];

		if (!uplink->slot)
			uplink->slot = find_slot(plan, uplink_is_device(uplink));
		if (!uplink->slot && uplink_is_device(uplink))
			plan->without_slot = uplink->link;
	}
	for (i = 0; i < plan->n; i++)
		if (plan->at[i].slot)
			plan->at[n++] = plan->at[i];
	plan->n = n;
	return err;
}

int slots_plan(struct tsw *t, struct plan *plan)
{
	int err = plan_make(t, plan);

	err = err ?: give(t, plan);
	return err ?: plan_choose_first(plan);
}
