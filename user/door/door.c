// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "store/attach.h"
#include "door/door.h"
#include "door/door_link.h"
#include "door/liberal.h"
#include "base/err.h"
#include "store/pins.h"
#include "base/problem.h"
#include "door/ruleset.h"
#include "door/speak.h"
#include "kernel/system.h"
#include "door/uplink.h"
#include "door/table.h"
#include "store/config.h"
#include "wire/mtu.h"

/* What every tenant's way takes; 0: not known. */
static int least_mtu(struct tsw *t, __u32 *least)
{
	__u32 limit;
	int err = 0, encap;

	*least = 0;
	for (encap = 0; !err && encap < TSW_ENCAPS; encap++) {
		err = tenant_mtu_limit(t, encap, &limit);
		if (!*least || limit < *least)
			*least = limit;
	}
	return err;
}

int door_fit(struct tsw *t)
{
	struct link link;
	__u32 mtu;
	int err = t->config.gateway ? least_mtu(t, &mtu) : -ENODEV;

	/* What is missing or another's is told by `switch check`. */
	if (err || door_link_find(t->instance, &link) || !mtu || link.mtu == mtu)
		return err == -ENODEV ? 0 : err;
	return door_link_mend(t->instance, mtu, &link);
}

static int detach(struct tsw *t)
{
	int err = detach_tc(t, PROG_FROM_GATEWAY, t->config.gateway);

	return err ? err : detach_tc(t, PROG_TO_GATEWAY, t->config.gateway);
}

/* The configuration says so before anything else is made, or a kill would leave what is unknown. */
static int note_device(struct tsw *t, __u32 ifindex)
{
	int err = 0;

	if (t->config.gateway == ifindex)
		return map_put(&t->maps, MAP_DEVICES, &ifindex, &ifindex);
	if (t->config.gateway) /* the pin of a device that is gone */
		err = detach(t);
	t->config.gateway = ifindex;
	if (!err)
		err = config_put(t);
	return err ? err : map_put(&t->maps, MAP_DEVICES, &ifindex, &ifindex);
}

static int mend_ways(__u32 ifindex)
{
	int err = table_mend(TSW_IPV4, ifindex);

	return !err && system_has_ipv6() ? table_mend(TSW_IPV6, ifindex) : err;
}

static int make(struct tsw *t)
{
	struct link link;
	__u32 mtu;
	int err = least_mtu(t, &mtu);

	if (!err)
		err = door_link_mend(t->instance, mtu, &link);
	if (!err)
		err = note_device(t, link.ifindex);
	if (!err)
		err = attach_qdisc(t, link.ifindex);
	if (!err)
		err = attach_tc(t, PROG_FROM_GATEWAY, link.ifindex);
	if (!err)
		err = attach_tc(t, PROG_TO_GATEWAY, link.ifindex);
	if (!err)
		err = mend_ways(link.ifindex);
	/* A table that is there before the first index is what another switch here left. */
	if (!err)
		err = map_is_empty(&t->maps, MAP_MARKS) ? ruleset_rebuild(NULL) : ruleset_open();
	if (!err)
		err = liberal_mend(t);
	return err ? err : uplinks_open(t);
}

int door_open(struct tsw *t)
{
	const __u32 before = t->config.gateway;
	struct failure why;
	int err = t->door ? 0 : make(t);

	t->door = !err;
	if (!err || before)
		return err;
	why = *failure();
	if (door_close(t))
		detail(&t->log, "%s", failure()->text);
	return fail_again(&why);
}

static int remove_ways(void)
{
	int err = table_remove(TSW_IPV4);

	return !err && system_has_ipv6() ? table_remove(TSW_IPV6) : err;
}

/* The device last but for the configuration: it tells whose all this is. */
static int take_away(struct tsw *t, const struct link *link)
{
	int err = t->maps.fd[MAP_UPLINKS] < 0 ? uplinks_forget() : uplinks_close(t);

	if (!err)
		err = speak_close();
	if (!err)
		err = liberal_close(t);
	if (!err)
		err = ruleset_close();
	if (!err)
		err = remove_ways();
	if (!err && t->config.gateway)
		err = detach(t);
	if (!err && link)
		err = link_delete(link->ifindex);
	if (err || !t->config.gateway)
		return err;
	t->config.gateway = 0;
	return config_put(t);
}

int door_close(struct tsw *t)
{
	struct link link;
	int err = door_link_find(t->instance, &link);

	t->door = false;
	if (err == -EBUSY) /* another switch's, and with it all the rest */
		return 0;
	if (err && err != -ENOENT && err != -EEXIST)
		return err;
	if (err && !t->config.gateway)
		return 0;
	return take_away(t, err ? NULL : &link);
}

int door_rebuild(struct tsw *t, door_fill *fill)
{
	struct nft_change c;
	int err;

	nft_begin(&c);
	err = fill(t, &c);
	if (!err)
		return ruleset_rebuild(&c);
	nft_abandon(&c);
	return err;
}

static int check_elements(struct tsw *t, door_fill *fill, json_t *problems)
{
	struct nft_change c;
	int err;

	nft_begin(&c);
	err = fill(t, &c);
	if (!err)
		return ruleset_check(&c, problems);
	nft_abandon(&c);
	return err;
}

/* A half upgrade, which is told, has yet to bring what an older switch did not have. */
static void check_program(struct tsw *t, enum prog prog, __u32 ifindex, json_t *problems)
{
	if (prog_is_pinned(t, prog) && !pins_has(t->instance, PINS_NEXT) &&
	    !attached_tc(t, prog, ifindex))
		problem(problems, "gateway_program", DOOR, "its program is not attached: %s",
			prog_name(prog));
}

static int check_device(struct tsw *t, json_t *problems)
{
	struct link link;
	__u32 mtu;
	int err = door_link_find(t->instance, &link);

	if (err == -ENOENT || (!err && link.ifindex != t->config.gateway)) {
		problem(problems, "gateway_device", DOOR,
			err ? "the device is missing" : "the device was made again");
		return 0;
	}
	if (err == -EBUSY || err == -EEXIST) {
		problem(problems, "gateway_device", DOOR, "%s", failure()->text);
		return 0;
	}
	if (err)
		return err;
	err = least_mtu(t, &mtu);
	if (err)
		return err;
	if (mtu && link.mtu != mtu)
		problem(problems, "gateway_device", DOOR, "its MTU is %u and should be %u",
			link.mtu, mtu);
	door_link_check(&link, problems);
	check_program(t, PROG_FROM_GATEWAY, link.ifindex, problems);
	check_program(t, PROG_TO_GATEWAY, link.ifindex, problems);
	return 0;
}

int door_check(struct tsw *t, door_fill *fill, json_t *problems)
{
	int err = t->config.gateway ? check_device(t, problems) : 0;

	if (err || !t->config.gateway)
		return err;
	err = table_check(TSW_IPV4, t->config.gateway, problems);
	if (!err && system_has_ipv6())
		err = table_check(TSW_IPV6, t->config.gateway, problems);
	liberal_check(t, problems);
	if (!err)
		err = uplinks_check(t, problems);
	return err ? err : check_elements(t, fill, problems);
}
