// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/text.h"
#include "door/door_link.h"
#include "door/old_door.h"
#include "door/router.h"
#include "door/rules.h"
#include "kernel/conf.h"
#include "kernel/conntrack.h"
#include "kernel/conntrack_copy.h"
#include "kernel/forward.h"
#include "kernel/netns.h"
#include "kernel/netns_move.h"
#include "kernel/nft.h"
#include "kernel/system.h"
#include "store/attach.h"
#include "store/config.h"

#define NETFILTER "/proc/sys/net/netfilter/nf_conntrack_tcp_"

/* Keys of tsw_uplinks for conf.all and conf.default instead of a device. */
static const __u32 all_key = 0, default_key = 0xffffffffU;

/* For IPv6 not `forwarding`, which also makes the device a router's. */
static const char *const forwards[TSW_FAMILIES] = {"forwarding", "force_forwarding"};

/* ---- connections ------------------------------------------------------------------------- */

/* From then on requests to netfilter go to the switch's own namespace. */
static int register_own(void)
{
	const int fd = netns_own();

	if (fd < 0)
		return fd;
	netns_router(fd);
	return 0;
}

int old_door_copy(struct tsw *t)
{
	cleanup_connections struct connections all = {};
	size_t given = 0;
	int err = register_own();

	err = err ?: conntrack_take(&all);
	router_register(t);
	err = err ?: conntrack_give(&all, &given);
	if (!err)
		detail(&t->log, "%zu connections were copied into the router", given);
	return err;
}

int old_door_strict(bool on)
{
	int err = netns_visit();

	if (err)
		return err;
	err = system_set(NETFILTER "loose", !on);
	if (err)
		fail(err, "cannot write " NETFILTER "loose of the router: %s", strerror(-err));
	return netns_leave(err);
}

/* ---- forwarding -------------------------------------------------------------------------- */

static bool is_same(const struct link *link, const struct tsw_uplink *u)
{
	return !strcmp(link->name, u->name) || mac_equal(&link->mac, &u->mac);
}

/* Turns off what the switch turned on. A device that is gone needs nothing. */
static int stop_forwarding(__u32 ifindex, const struct tsw_uplink *u)
{
	struct link link;
	int family, err = link_by_index(ifindex, &link);

	if (err || !is_same(&link, u))
		return err == -ENODEV ? 0 : err;
	for (family = 0; !err && family < TSW_FAMILIES; family++) {
		if (!(u->flags & TSW_UPLINK(family)) ||
		    conf_read(family, link.name, forwards[family]) <= 0)
			continue;
		err = conf_write(family, link.name, forwards[family], 0);
		if (err == -ENOENT)
			err = 0;
	}
	return err ? fail(err, "cannot turn forwarding off on device %s: %s", link.name,
			  strerror(-err))
		   : 0;
}

/*
 * On kernels without an IPv6 setting for each device, conf.all was written, which changes all of
 * them. Notes which devices forward by themselves, so that these can be turned on again.
 */
static int note_one(struct tsw *t, __u32 key, const struct tsw_mac *mac, const char *name)
{
	const bool on = conf_read(TSW_IPV6, name, "forwarding") == 1;
	struct tsw_uplink u = {};
	int err = map_get(&t->maps, MAP_UPLINKS, &key, &u);

	if ((err && err != -ENOENT) || (err && !on))
		return err == -ENOENT ? 0 : err;
	u.flags &= ~TSW_UPLINK_ROUTER;
	u.flags |= on ? TSW_UPLINK_ROUTER : 0;
	u.mac = *mac;
	snprintf(u.name, sizeof(u.name), "%s", name);
	return map_put(&t->maps, MAP_UPLINKS, &key, &u);
}

static int note_link(const struct link *link, void *data)
{
	return note_one(data, link->ifindex, &link->mac, link->name);
}

static int restore_one(struct tsw *t, __u32 key, const char *name)
{
	struct tsw_uplink u = {};
	int err = map_get(&t->maps, MAP_UPLINKS, &key, &u), want, have;

	if (err && err != -ENOENT)
		return err;
	want = !!(u.flags & TSW_UPLINK_ROUTER);
	have = conf_read(TSW_IPV6, name, "forwarding");
	if (have < 0 || have == want) /* < 0: no IPv6, or the device is gone */
		return 0;
	err = conf_write(TSW_IPV6, name, "forwarding", want);
	return err == -ENOENT ? 0 : err;
}

static int restore_link(const struct link *link, void *data)
{
	return restore_one(data, link->ifindex, link->name);
}

static int write_all(void *data)
{
	int err = conf_write(TSW_IPV6, "all", "forwarding", 0);

	err = err ?: restore_one(data, default_key, "default");
	return err ?: link_each(restore_link, data);
}

static int stop_all_forwarding(struct tsw *t)
{
	struct tsw_uplink u;
	const struct tsw_mac none = {};
	int err = map_get(&t->maps, MAP_UPLINKS, &all_key, &u);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (u.flags & TSW_UPLINK_OPEN) {
		err = link_each(note_link, t);
		err = err ?: note_one(t, default_key, &none, "default");
	}
	u.flags = TSW_UPLINK_CLOSING;
	err = err ?: map_put(&t->maps, MAP_UPLINKS, &all_key, &u);
	if (!err) {
		err = forward_shielded(write_all, t);
		if (err)
			fail(err, "cannot turn IPv6 forwarding off: %s", strerror(-err));
	}
	return err;
}

/* ---- programs ---------------------------------------------------------------------------- */

/* Removes the old filter at an uplink's egress; no present one there has this name. */
static int drop_filter(__u32 ifindex)
{
	struct bpf_tc_hook hook = attach_hook(ifindex, true);
	LIBBPF_OPTS(bpf_tc_opts, opts, .priority = FILTER_PRIORITY, .handle = FILTER_HANDLE);
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	cleanup_close int fd = -1;
	int err;

	if (bpf_tc_query(&hook, &opts))
		return 0;
	fd = bpf_prog_get_fd_by_id(opts.prog_id);
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len) ||
	    strcmp(info.name, prog_name(PROG_TO_WORLD)))
		return 0;
	opts.flags = 0;
	opts.prog_fd = 0;
	opts.prog_id = 0;
	err = bpf_tc_detach(&hook, &opts);
	return err && err != -ENOENT && err != -ENODEV
		       ? fail(err, "cannot detach tsw_to_world from device %u: %s", ifindex,
			      strerror(-err))
		       : 0;
}

static int drop_programs(struct tsw *t, __u32 ifindex)
{
	int err = detach_tc(t, PROG_TO_WORLD, ifindex);

	return !err && t->config.attach != TSW_ATTACH_TCX ? drop_filter(ifindex) : err;
}

/* Keeps the flags of today's program, which brings answers from the uplink. */
static int settle_uplink(struct tsw *t, __u32 ifindex, struct tsw_uplink u)
{
	u.flags &= TSW_UPLINK_FAST | TSW_UPLINK_QDISC;
	return u.flags ? map_put(&t->maps, MAP_UPLINKS, &ifindex, &u)
		       : map_del(&t->maps, MAP_UPLINKS, &ifindex);
}

static int drop_rules(void)
{
	const struct ways none = {};
	int err = rules_mend(TSW_IPV4, &none);

	return !err && system_has_ipv6() ? rules_mend(TSW_IPV6, &none) : err;
}

static int close_uplinks(struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = stop_all_forwarding(t);

	err = err ?: map_rows(&t->maps, MAP_UPLINKS, &rows);
	for (i = 0; !err && i < rows.n; i++) {
		const __u32 ifindex = *(const __u32 *)row_key(&rows, i);

		if (ifindex == all_key || ifindex == default_key)
			continue;
		err = stop_forwarding(ifindex, row_value(&rows, i));
		err = err ?: drop_programs(t, ifindex);
	}
	err = err ?: drop_rules();
	for (i = 0; !err && i < rows.n; i++)
		err = settle_uplink(t, *(const __u32 *)row_key(&rows, i),
				    *(const struct tsw_uplink *)row_value(&rows, i));
	return err;
}

/* ---- all of it --------------------------------------------------------------------------- */

static int drop_tables(void)
{
	int err = register_own();

	if (!err)
		err = nft_run("",
			      "table inet tsw { }\ndelete table inet tsw\n"
			      "table netdev tsw { }\ndelete table netdev tsw\n",
			      NULL);
	return err ?: conntrack_forget(TSW_MARK_TENANT, CONNTRACK_ALL);
}

/* Routes to the device go with it. */
static int drop_device(struct tsw *t, const struct link *link)
{
	int err = detach_tc(t, PROG_FROM_GATEWAY, link->ifindex);

	err = err ?: detach_tc(t, PROG_TO_GATEWAY, link->ifindex);
	return err ?: link_delete(link->ifindex);
}

static int put_liberal_back(const struct tsw *t)
{
	int err = 0;

	if (t->config.flags & TSW_CFG_OLD_LIBERAL && system_setting(NETFILTER "be_liberal") > 0)
		err = system_set(NETFILTER "be_liberal", 0);
	return err ? fail(err, "cannot write " NETFILTER "be_liberal: %s", strerror(-err)) : 0;
}

int old_door_close(struct tsw *t)
{
	struct link link;
	const int found = door_link_old(t->instance, &link);
	int err;

	if (found && (found != -ENOENT || !(t->config.flags & TSW_CFG_OLD_DOOR)))
		return found == -ENOENT ? 0 : found;
	err = t->maps.fd[MAP_UPLINKS] < 0 ? drop_rules() : close_uplinks(t);
	err = err ?: put_liberal_back(t);
	err = err ?: drop_tables();
	router_register(t);
	if (!err && !found)
		err = drop_device(t, &link);
	if (err)
		return err;
	t->config.flags &= ~(TSW_CFG_OLD_DOOR | TSW_CFG_OLD_LIBERAL);
	return config_put(t);
}
