// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/conf.h"
#include "base/err.h"
#include "door/forward_all.h"
#include "kernel/link.h"
#include "base/problem.h"
#include "door/rules.h"
#include "kernel/system.h"
#include "base/text.h"
#include "door/uplink.h"
#include "door/uplink_fast.h"

/*
 * IPv4 forwards what comes in by a device whose `forwarding` is on. IPv6 does so since Linux 6.17
 * where its `force_forwarding` is on, or everywhere when conf.all says so; and a device's
 * `forwarding` tells something else, whether it is a router's.
 */
static const char *const key[TSW_FAMILIES] = {"forwarding", "force_forwarding"};

/* Of IPv4 each device tells for itself, also where conf.all was used to set them. */
static bool all_forward(enum tsw_family family)
{
	return family == TSW_IPV6 && conf_read(TSW_IPV6, "all", "forwarding") == 1;
}

static bool is_same(const struct link *link, const struct tsw_uplink *u)
{
	return !strcmp(link->name, u->name) || mac_equal(&link->mac, &u->mac);
}

/* -ENODEV without message: it is gone, or another has its index. */
static int find_device(__u32 ifindex, const struct tsw_uplink *u, struct link *link)
{
	int err = link_by_index(ifindex, link);

	return !err && !is_same(link, u) ? -ENODEV : err;
}

static int forward(const struct link *link, enum tsw_family family, int on)
{
	int err = conf_read(family, link->name, key[family]) == on
			  ? 0
			  : conf_write(family, link->name, key[family], on);

	if (!err || err == -ENOENT) /* the device went meanwhile */
		return 0;
	return fail(err, "cannot turn %s forwarding %s on device %s: %s", family_text(family),
		    on ? "on" : "off", quoted(link->name), strerror(-err));
}

/* Does this device, which has an address, need to be made to forward? */
static int is_candidate(struct tsw *t, __u32 ifindex, enum tsw_family family, struct link *link)
{
	struct tsw_port port;
	int err = link_by_index(ifindex, link);

	if (err)
		return err == -ENODEV ? 0 : err;
	if (link->flags & IFF_LOOPBACK || link_instance(link) ||
	    !map_get(&t->maps, MAP_PORTS, &ifindex, &port))
		return 0;
	return !all_forward(family) && !conf_read(family, link->name, key[family]);
}

/* Before it is turned on, so that a kill leaves nothing forwarding that is not known. */
static int note_uplink(struct tsw *t, __u32 ifindex, enum tsw_family family)
{
	struct tsw_uplink u = {};
	struct link link;
	int err = is_candidate(t, ifindex, family, &link);

	if (err <= 0)
		return err;
	err = map_get(&t->maps, MAP_UPLINKS, &ifindex, &u);
	if (err && err != -ENOENT)
		return err;
	if (!err && !is_same(&link, &u))
		u.flags = 0;
	u.flags |= TSW_UPLINK(family);
	u.mac = link.mac;
	memcpy(u.name, link.name, sizeof(u.name));
	return map_put(&t->maps, MAP_UPLINKS, &ifindex, &u);
}

static int note_uplinks(struct tsw *t)
{
	struct addressed *all;
	size_t n, i;
	int err = link_addressed(&all, &n);

	for (i = 0; !err && i < n; i++)
		err = note_uplink(t, all[i].ifindex, all[i].family);
	free(all);
	return err;
}

/* Forgets those whose device is gone, and follows one that was given another name. */
static int refresh(struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	struct tsw_uplink u;
	struct link link;
	size_t i;
	int err = map_rows(&t->maps, MAP_UPLINKS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const __u32 ifindex = *(const __u32 *)row_key(&rows, i);

		if (ifindex == UPLINK_ALL || ifindex == UPLINK_DEFAULT)
			continue;
		memcpy(&u, row_value(&rows, i), sizeof(u));
		err = find_device(ifindex, &u, &link);
		if (err == -ENODEV)
			err = map_del(&t->maps, MAP_UPLINKS, &ifindex);
		else if (!err && strcmp(link.name, u.name)) {
			memcpy(u.name, link.name, sizeof(u.name));
			err = map_put(&t->maps, MAP_UPLINKS, &ifindex, &u);
		}
	}
	return err;
}

/* The names of those noted for this family. */
static int list_shy(const struct tsw *t, const struct rows *rows, enum tsw_family family,
		    struct shy *shy)
{
	struct link tunnel;
	size_t i;

	shy->n = 0;
	shy->name = calloc(rows->n + 1, sizeof(*shy->name));
	if (!shy->name)
		return fail(ENOMEM, "out of memory");
	shy->all = family == TSW_IPV6 && forward_all_is_ours(t);
	if (shy->all && !link_by_index(t->config.tunnel, &tunnel)) /* look-ups of next hops */
		memcpy(shy->name[shy->n++], tunnel.name, IFNAMSIZ);
	if (shy->all)
		return 0;
	for (i = 0; i < rows->n; i++) {
		const struct tsw_uplink *u = row_value(rows, i);

		if (u->flags & TSW_UPLINK(family))
			memcpy(shy->name[shy->n++], u->name, IFNAMSIZ);
	}
	return 0;
}

static int forward_all(const struct rows *rows, enum tsw_family family, int on)
{
	struct link link;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < rows->n; i++) {
		const struct tsw_uplink *u = row_value(rows, i);

		if (!(u->flags & TSW_UPLINK(family)))
			continue;
		err = find_device(*(const __u32 *)row_key(rows, i), u, &link);
		if (!err)
			err = forward(&link, family, on);
		else if (err == -ENODEV)
			err = 0;
	}
	return err;
}

static int open_family(struct tsw *t, enum tsw_family family)
{
	cleanup_rows struct rows rows = {};
	struct shy shy = {};
	int err = map_rows(&t->maps, MAP_UPLINKS, &rows);

	if (!err)
		err = list_shy(t, &rows, family, &shy);
	if (!err)
		err = rules_mend(family, &shy);
	free(shy.name);
	return err ? err : forward_all(&rows, family, 1);
}

int uplinks_open(struct tsw *t)
{
	int err = refresh(t);

	if (!err)
		err = note_uplinks(t);
	if (!err)
		err = open_family(t, TSW_IPV4);
	if (!err && system_has_ipv6()) {
		err = forward_all_note(t);
		if (!err)
			err = open_family(t, TSW_IPV6);
		if (!err)
			err = forward_all_open(t);
	}
	return err ? err : uplinks_fast_open(t);
}

int uplinks_close(struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = forward_all_close(t), family;

	if (!err)
		err = uplinks_fast_close(t);
	if (!err)
		err = map_rows(&t->maps, MAP_UPLINKS, &rows);
	for (family = 0; !err && family < TSW_FAMILIES; family++)
		err = forward_all(&rows, family, 0);
	for (family = 0; !err && family < TSW_FAMILIES; family++)
		if (family == TSW_IPV4 || system_has_ipv6())
			err = rules_remove(family);
	for (i = 0; !err && i < rows.n; i++)
		err = map_del(&t->maps, MAP_UPLINKS, row_key(&rows, i));
	return err;
}

int uplinks_forget(void)
{
	struct shy shy = {};
	size_t i;
	int err = 0, family;

	for (family = 0; !err && family < TSW_FAMILIES; family++) {
		if (family == TSW_IPV6 && !system_has_ipv6())
			break;
		err = rules_shy(family, &shy);
		for (i = 0; !err && i < shy.n; i++)
			conf_write(family, shy.name[i], key[family], 0); /* if it is still there */
		free(shy.name);
		if (!err)
			err = rules_remove(family);
	}
	return err;
}

static int check_uplinks(struct tsw *t, json_t *problems)
{
	struct addressed *all;
	struct link link;
	size_t n, i;
	int err = link_addressed(&all, &n);

	for (i = 0; err >= 0 && i < n; i++) {
		err = is_candidate(t, all[i].ifindex, all[i].family, &link);
		if (err > 0)
			problem(problems, "uplink_forwarding", link.name,
				"it has an %s address and does not forward: answers that come in "
				"there do not reach the tenants",
				family_text(all[i].family));
	}
	free(all);
	return err < 0 ? err : 0;
}

static int check_family(struct tsw *t, enum tsw_family family, json_t *problems)
{
	cleanup_rows struct rows rows = {};
	struct shy shy = {};
	int err = map_rows(&t->maps, MAP_UPLINKS, &rows);

	if (!err)
		err = list_shy(t, &rows, family, &shy);
	if (!err)
		err = rules_check(family, &shy, problems);
	free(shy.name);
	return err;
}

int uplinks_check(struct tsw *t, json_t *problems)
{
	int err = check_uplinks(t, problems);

	if (!err && forward_all_is_ours(t) && !conf_read(TSW_IPV6, "all", "forwarding"))
		problem(problems, "uplink_forwarding", "all",
			"somebody turned IPv6 forwarding off");
	if (!err)
		err = check_family(t, TSW_IPV4, problems);
	if (!err && system_has_ipv6())
		err = check_family(t, TSW_IPV6, problems);
	return err;
}
