// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/conf.h"
#include "base/err.h"
#include "kernel/forward.h"
#include "door/forward_all.h"
#include "kernel/link.h"

static const __u32 all_key = UPLINK_ALL, default_key = UPLINK_DEFAULT;

/* -ENOENT without message. */
static int get_state(const struct tsw *t, __u32 *flags)
{
	struct tsw_uplink u;
	int err = map_get(&t->maps, MAP_UPLINKS, &all_key, &u);

	*flags = err ? 0 : u.flags;
	return err;
}

static int put_state(const struct tsw *t, __u32 flags)
{
	const struct tsw_uplink u = {.flags = flags, .name = "all"};

	return map_put(&t->maps, MAP_UPLINKS, &all_key, &u);
}

bool forward_all_is_ours(const struct tsw *t)
{
	__u32 flags;

	return !get_state(t, &flags);
}

/* Whether it is a router's: noted under KEY in an entry that may tell more. */
static int note_one(const struct tsw *t, __u32 key, const struct tsw_mac *mac, const char *name)
{
	const bool on = conf_read(TSW_IPV6, name, "forwarding") == 1;
	struct tsw_uplink u = {};
	int err = map_get(&t->maps, MAP_UPLINKS, &key, &u);

	if (err == -ENOENT && !on)
		return 0;
	if (err && err != -ENOENT)
		return err;
	u.flags &= ~TSW_UPLINK_ROUTER;
	u.flags |= on ? TSW_UPLINK_ROUTER : 0;
	u.mac = *mac;
	snprintf(u.name, sizeof(u.name), "%s", name);
	return u.flags ? map_put(&t->maps, MAP_UPLINKS, &key, &u)
		       : map_del(&t->maps, MAP_UPLINKS, &key);
}

static int note_link(const struct link *link, void *data)
{
	return note_one(data, link->ifindex, &link->mac, link->name);
}

static int note_routers(struct tsw *t)
{
	const struct tsw_mac none = {};
	int err = link_each(note_link, t);

	return err ? err : note_one(t, default_key, &none, "default");
}

static int forget_routers(const struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	struct tsw_uplink u;
	size_t i;
	int err = map_rows(&t->maps, MAP_UPLINKS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		memcpy(&u, row_value(&rows, i), sizeof(u));
		if (!(u.flags & TSW_UPLINK_ROUTER))
			continue;
		u.flags &= ~TSW_UPLINK_ROUTER;
		err = u.flags ? map_put(&t->maps, MAP_UPLINKS, row_key(&rows, i), &u)
			      : map_del(&t->maps, MAP_UPLINKS, row_key(&rows, i));
	}
	return err;
}

static int restore_one(const struct tsw *t, __u32 key, const char *name)
{
	struct tsw_uplink u = {};
	int err = map_get(&t->maps, MAP_UPLINKS, &key, &u), want, have;

	if (err && err != -ENOENT)
		return err;
	want = !!(u.flags & TSW_UPLINK_ROUTER);
	have = conf_read(TSW_IPV6, name, "forwarding");
	if (have < 0 || have == want) /* a device without IPv6, or none any more */
		return 0;
	err = conf_write(TSW_IPV6, name, "forwarding", want);
	return err == -ENOENT ? 0 : err;
}

static int restore_link(const struct link *link, void *data)
{
	return restore_one(data, link->ifindex, link->name);
}

struct turn {
	struct tsw *t;
	int on;
};

static int write_all(void *data)
{
	const struct turn *turn = data;
	int err = conf_write(TSW_IPV6, "all", "forwarding", turn->on);

	if (!err)
		err = restore_one(turn->t, default_key, "default");
	return err ? err : link_each(restore_link, turn->t);
}

static int turn(struct tsw *t, int on)
{
	struct turn turn = {t, on};
	int err = forward_shielded(write_all, &turn);

	return err ? fail(err, "cannot turn IPv6 forwarding %s: %s", on ? "on" : "off",
			  strerror(-err))
		   : 0;
}

int forward_all_note(struct tsw *t)
{
	__u32 flags;
	int err = get_state(t, &flags);

	if (!err && flags & TSW_UPLINK_CLOSING) { /* a close was killed: to its end, then anew */
		err = forward_all_close(t);
		flags = 0;
	}
	if (err && err != -ENOENT)
		return err;
	/* Also where the host has no IPv6 address: peers reach each other through tsw-gw alone. */
	if (conf_read(TSW_IPV6, "all", "forwarding") || /* it is, or there is no IPv6 */
	    flags & TSW_UPLINK_OPENING || conf_read(TSW_IPV6, "all", "force_forwarding") >= 0)
		return 0;
	err = note_routers(t);
	return err ? err : put_state(t, TSW_UPLINK_OPENING);
}

int forward_all_open(struct tsw *t)
{
	__u32 flags;
	int err = get_state(t, &flags);

	if (err || !(flags & TSW_UPLINK_OPENING))
		return err == -ENOENT ? 0 : err;
	err = turn(t, 1);
	if (!err)
		err = put_state(t, TSW_UPLINK_OPEN);
	return err ? err : forget_routers(t);
}

int forward_all_close(struct tsw *t)
{
	__u32 flags;
	int err = get_state(t, &flags);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (flags & TSW_UPLINK_OPEN)
		err = note_routers(t);
	if (!err)
		err = put_state(t, TSW_UPLINK_CLOSING);
	if (!err)
		err = turn(t, 0);
	if (!err)
		err = map_del(&t->maps, MAP_UPLINKS, &all_key);
	return err ? err : forget_routers(t);
}
