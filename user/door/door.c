// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/err.h"
#include "base/problem.h"
#include "door/door.h"
#include "door/door_link.h"
#include "door/nat_ports.h"
#include "door/old_door.h"
#include "door/router.h"
#include "door/ruleset.h"
#include "door/settings.h"
#include "door/snat_proxy.h"
#include "door/tracking.h"
#include "door/uplink.h"
#include "kernel/netns.h"
#include "store/attach.h"
#include "store/config.h"
#include "store/pins.h"
#include "wire/mtu.h"

/* The MTU that fits every tenant's encapsulation; 0: not known. */
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

enum { UPLINK_MTU = 65535 }; /* the routes have each uplink's own MTU */

/* MTU is for the gateway's pair, from least_mtu(); 0: not known. */
static struct door_link wanted(const struct tsw *t, enum pair pair, __u32 mtu)
{
	return (struct door_link){
		.instance = t->instance,
		.pair = pair,
		.ifindex = pair == PAIR_GATEWAY ? t->config.gateway : t->config.uplink,
		.nsid = t->config.nsid,
		.mtu = pair == PAIR_GATEWAY ? mtu : UPLINK_MTU,
	};
}

int door_fit(struct tsw *t)
{
	struct door_link want;
	struct link link;
	__u32 mtu;
	int err = t->config.gateway ? least_mtu(t, &mtu) : -ENODEV;

	if (err)
		return err == -ENODEV ? 0 : err;
	want = wanted(t, PAIR_GATEWAY, mtu);
	/* `switch check` reports a device that is missing or not ours. */
	if (!netns_has_router() || door_link_find(&want, &link) || !mtu || link.mtu == mtu)
		return 0;
	return door_link_mend(&want, &link);
}

/* Each program of the door, and the end of the pair on which it is. */
static const struct {
	enum prog prog;
	enum pair pair;
	bool inner;
} programs[] = {
	{PROG_FROM_GATEWAY, PAIR_GATEWAY, .inner = false},
	{PROG_FAST_GATEWAY, PAIR_GATEWAY, .inner = false},
	{PROG_TO_WORLD, PAIR_UPLINK, .inner = false},
	{PROG_TO_GATEWAY, PAIR_GATEWAY, .inner = true},
	{PROG_LEAVE_GATEWAY, PAIR_GATEWAY, .inner = true},
	{PROG_ENTER_WORLD, PAIR_UPLINK, .inner = true},
	{PROG_LEAVE_WORLD, PAIR_UPLINK, .inner = true},
};

enum { PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

/* The index of the device of a pair's end; 0: it was not made yet. */
static __u32 end_index(const struct tsw *t, enum pair pair, bool inner)
{
	if (inner)
		return pair == PAIR_GATEWAY ? ROUTER_GATEWAY : ROUTER_UPLINK;
	return pair == PAIR_GATEWAY ? t->config.gateway : t->config.uplink;
}

/* Calls FN for each program at that end of one pair, or of all with PAIRS. */
static int each_program(struct tsw *t, enum pair pair, bool inner,
			int (*fn)(struct tsw *t, enum prog prog, __u32 ifindex))
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < PROGRAMS; i++) {
		const __u32 ifindex = end_index(t, programs[i].pair, inner);

		if (programs[i].inner == inner && (pair == PAIRS || pair == programs[i].pair) &&
		    ifindex)
			err = fn(t, programs[i].prog, ifindex);
	}
	return err;
}

/* If the router is gone, its devices are too, and only the programs' pins are left. */
static int detach_inner(struct tsw *t)
{
	const bool visit = !netns_visit();
	int err = each_program(t, PAIRS, true, detach_tc);

	return visit ? netns_leave(err) : err;
}

/* Attaches all programs of the outer or the inner ends. Inner: during a visit. */
static int attach_ends(struct tsw *t, bool inner)
{
	int err = attach_qdisc(t, end_index(t, PAIR_GATEWAY, inner));

	err = err ?: attach_qdisc(t, end_index(t, PAIR_UPLINK, inner));
	return err ?: each_program(t, PAIRS, inner, attach_tc);
}

/* Writes the device to the configuration first, so that a kill leaves nothing that is unknown. */
static int note_device(struct tsw *t, enum pair pair, __u32 ifindex)
{
	__u32 *noted = pair == PAIR_GATEWAY ? &t->config.gateway : &t->config.uplink;
	int err = 0;

	if (*noted == ifindex)
		return map_put(&t->maps, MAP_DEVICES, &ifindex, &ifindex);
	if (*noted) /* pins of a device that is gone */
		err = each_program(t, pair, false, detach_tc);
	*noted = ifindex;
	err = err ?: config_put(t);
	return err ?: map_put(&t->maps, MAP_DEVICES, &ifindex, &ifindex);
}

static int make_pairs(struct tsw *t)
{
	struct door_link want;
	struct link link;
	enum pair pair;
	__u32 mtu;
	int err = least_mtu(t, &mtu);

	for (pair = 0; !err && pair < PAIRS; pair++) {
		want = wanted(t, pair, mtu);
		err = door_link_mend(&want, &link);
		err = err ?: note_device(t, pair, link.ifindex);
	}
	return err;
}

/* Replaces a table that exists before the first index was given: a killed command left it. */
static int make_ruleset(struct tsw *t, bool *made)
{
	*made = map_is_empty(&t->maps, MAP_MARKS);
	return *made ? ruleset_rebuild(NULL) : ruleset_open(made);
}

/*
 * Settings come before devices, which inherit them, and once more after nftables' table, which
 * loads conntrack.
 */
static int make(struct tsw *t)
{
	bool afresh = false;
	int err = router_make(t);

	nat_ports_choose(t);
	err = err ?: router_configure(t->instance);
	err = err ?: make_pairs(t);
	err = err ?: make_ruleset(t, &afresh);
	err = err ?: nat_ports_put(t, afresh);
	err = err ?: router_configure(t->instance);
	err = err ?: tracking_follow(t);
	err = err ?: netns_visit();
	err = err ?: netns_leave(attach_ends(t, true));
	err = err ?: attach_ends(t, false);
	return err ?: uplinks_mend(t, afresh);
}

int door_open(struct tsw *t)
{
	const __u32 before = t->config.gateway;
	struct failure why;
	int err = t->door ? 0 : make(t);

	t->door = !err;
	if (!err || before || t->config.flags & TSW_CFG_OLD_DOOR)
		return err;
	why = *failure();
	if (door_close(t))
		detail(&t->log, "%s", failure()->text);
	return fail_again(&why);
}

static int delete_pair(const struct tsw *t, enum pair pair)
{
	const struct door_link want = wanted(t, pair, 0);
	struct link link;
	int err = door_link_find(&want, &link);

	return err ? (err == -ENOENT ? 0 : err) : link_delete(link.ifindex);
}

/* Removes the namespace last: with the configuration it shows whose all this is. */
int door_close(struct tsw *t)
{
	enum pair pair;
	int err = old_door_close(t);

	if (!err && t->maps.fd[MAP_UPLINKS] >= 0)
		err = uplinks_close(t);
	t->door = false;
	router_register(t);
	err = err ?: snat_proxy_close();
	err = err ?: each_program(t, PAIRS, false, detach_tc);
	err = err ?: detach_inner(t);
	for (pair = 0; !err && pair < PAIRS; pair++)
		err = delete_pair(t, pair);
	if (err)
		return err;
	t->config.nat_low = t->config.nat_high = 0;
	t->config.gateway = t->config.uplink = 0; /* router_remove() writes it */
	return router_remove(t);
}

/* Begins a change with the elements of all gateways and uplinks. */
static int fill_all(struct tsw *t, door_fill *fill, struct nft_change *c)
{
	int err;

	nft_begin(c);
	err = fill(t, c);
	err = err ?: uplinks_fill(t, c);
	if (err)
		nft_abandon(c);
	return err;
}

int door_rebuild(struct tsw *t, door_fill *fill)
{
	const struct tsw_port_range ports = {t->config.nat_low, t->config.nat_high};
	struct nft_change c;
	int err;

	ruleset_ports(&ports);
	err = fill_all(t, fill, &c);
	return err ?: ruleset_rebuild(&c);
}

static int check_elements(struct tsw *t, door_fill *fill, const char *const *but, json_t *problems)
{
	struct nft_change c;
	int err = fill_all(t, fill, &c);

	return err ?: ruleset_check(&c, but, problems);
}

int door_refill(struct tsw *t, door_fill *fill)
{
	json_t *problems = json_array();
	int err = check_elements(t, fill, NULL, problems);

	if (!err && json_array_size(problems))
		err = door_rebuild(t, fill);
	json_decref(problems);
	return err;
}

/* After an unfinished upgrade, which is reported, new programs may still be missing: no problem. */
static void check_programs(struct tsw *t, bool inner, json_t *problems)
{
	size_t i;

	for (i = 0; i < PROGRAMS; i++) {
		const enum prog prog = programs[i].prog;

		if (programs[i].inner == inner && prog_is_pinned(t, prog) &&
		    !pins_has(t->instance, PINS_NEXT) &&
		    !attached_tc(t, prog, end_index(t, programs[i].pair, inner)))
			problem(problems, "gateway_program", DOOR,
				"its program is not attached: %s", prog_name(prog));
	}
}

static int check_pair(struct tsw *t, enum pair pair, json_t *problems)
{
	struct door_link want;
	struct link link;
	__u32 mtu;
	int err = least_mtu(t, &mtu);

	if (err)
		return err;
	want = wanted(t, pair, mtu);
	err = door_link_find(&want, &link);
	if (err && err != -ENOENT)
		return err;
	if (err || link.ifindex != want.ifindex)
		problem(problems, "gateway_device", pair == PAIR_GATEWAY ? DOOR : "tsw-up",
			err ? "the device is missing" : "the device was replaced");
	else
		door_link_check(&want, &link, problems);
	return 0;
}

int door_check(struct tsw *t, door_fill *fill, json_t *problems)
{
	enum pair pair;
	int err = 0;

	if (!t->config.gateway)
		return 0;
	for (pair = 0; !err && pair < PAIRS; pair++)
		err = check_pair(t, pair, problems);
	err = err ?: router_check(t, problems);
	err = err ?: settings_check(t, problems);
	if (err)
		return err;
	check_programs(t, false, problems);
	if (!netns_visit()) {
		check_programs(t, true, problems);
		err = netns_leave(0);
	}
	err = err ?: uplinks_check(t, problems);
	if (err < 0 || !netns_has_router())
		return err < 0 ? err : 0;
	return check_elements(t, fill, err ? uplink_maps : NULL, problems);
}
