// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/problem.h"
#include "door/uplink_fast.h"
#include "kernel/link.h"
#include "store/attach.h"
#include "wire/underlay.h"

static bool is_underlay(const struct tsw *t, __u32 ifindex)
{
	unsigned int i;

	for (i = 0; i < TSW_UNDERLAYS; i++)
		if (t->config.underlay[i].ifindex == ifindex)
			return true;
	return false;
}

/* 1: a device for them; or 0, or -errno. */
static int is_candidate(struct tsw *t, __u32 ifindex, struct link *link)
{
	struct tsw_port port;
	int err = link_by_index(ifindex, link);

	if (err)
		return err == -ENODEV ? 0 : err;
	return link->type == ARPHRD_ETHER && !(link->flags & IFF_LOOPBACK) &&
	       !link_instance(link) && !is_underlay(t, ifindex) &&
	       map_get(&t->maps, MAP_PORTS, &ifindex, &port) == -ENOENT;
}

/* Noted before they are there, so that a kill leaves nothing that is not known. */
static int note_device(struct tsw *t, const struct link *link)
{
	struct tsw_uplink u = {};
	int err = map_get(&t->maps, MAP_UPLINKS, &link->ifindex, &u);

	if (err && err != -ENOENT)
		return err;
	if (u.flags & TSW_UPLINK_FAST)
		return 0;
	u.flags |= TSW_UPLINK_FAST;
	if (attach_needs_qdisc(t, link->ifindex))
		u.flags |= TSW_UPLINK_QDISC;
	u.mac = link->mac;
	memcpy(u.name, link->name, sizeof(u.name));
	return map_put(&t->maps, MAP_UPLINKS, &link->ifindex, &u);
}

static int attach(struct tsw *t, __u32 ifindex)
{
	int err = attach_qdisc(t, ifindex);

	if (!err)
		err = attach_tc(t, PROG_TO_WORLD, ifindex);
	return err ? err : attach_tc(t, PROG_FROM_WORLD, ifindex);
}

static int detach(struct tsw *t, __u32 ifindex, const struct tsw_uplink *u)
{
	int err = detach_tc(t, PROG_FROM_WORLD, ifindex);

	if (!err)
		err = detach_tc(t, PROG_TO_WORLD, ifindex);
	if (!err && u->flags & TSW_UPLINK_QDISC)
		err = link_drop_clsact(ifindex);
	return err;
}

/* What has become a port, an underlay, or is gone. */
static int drop_others(struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	struct link link;
	size_t i;
	int err = map_rows(&t->maps, MAP_UPLINKS, &rows);

	for (i = 0; err >= 0 && i < rows.n; i++) {
		const __u32 ifindex = *(const __u32 *)row_key(&rows, i);
		struct tsw_uplink u = *(const struct tsw_uplink *)row_value(&rows, i);

		if (!(u.flags & TSW_UPLINK_FAST))
			continue;
		err = is_candidate(t, ifindex, &link);
		if (err)
			continue;
		err = detach(t, ifindex, &u);
		u.flags &= ~(TSW_UPLINK_FAST | TSW_UPLINK_QDISC);
		if (!err)
			err = map_put(&t->maps, MAP_UPLINKS, &ifindex, &u);
	}
	return err < 0 ? err : 0;
}

int uplinks_fast_open(struct tsw *t)
{
	struct addressed *all;
	struct link link;
	size_t n, i;
	int err = drop_others(t);

	if (err)
		return err;
	err = link_addressed(&all, &n);
	for (i = 0; err >= 0 && i < n; i++) {
		err = is_candidate(t, all[i].ifindex, &link);
		if (err <= 0)
			continue;
		err = note_device(t, &link);
		if (!err && attach(t, link.ifindex))
			detail(&t->log, "%s: no fast way by %s", failure()->text, link.name);
	}
	free(all);
	return err < 0 ? err : 0;
}

int uplinks_fast_close(struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_UPLINKS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_uplink *u = row_value(&rows, i);

		if (u->flags & TSW_UPLINK_FAST)
			err = detach(t, *(const __u32 *)row_key(&rows, i), u);
	}
	return err;
}

int uplinks_fast_check(struct tsw *t, json_t *warnings)
{
	struct addressed *all;
	struct link link;
	size_t n, i;
	int err = link_addressed(&all, &n);

	for (i = 0; err >= 0 && i < n; i++) {
		err = is_candidate(t, all[i].ifindex, &link);
		if (err > 0 && !(attached_tc(t, PROG_TO_WORLD, link.ifindex) &&
				 attached_tc(t, PROG_FROM_WORLD, link.ifindex)))
			problem(warnings, "uplink_slow", link.name,
				"the programs of the fast way are not on it: all flows by it go by "
				"the host's rules");
	}
	free(all);
	return err < 0 ? err : 0;
}
