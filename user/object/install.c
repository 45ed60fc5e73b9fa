// SPDX-License-Identifier: GPL-2.0-only
/* Writes and removes an endpoint's entries in the maps, in an order that a kill cannot harm. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "object/bound.h"
#include "object/flood_list.h"
#include "object/install.h"
#include "object/limit.h"
#include "object/macs.h"
#include "object/named.h"
#include "object/policy_group.h"
#include "object/port_flags.h"
#include "object/prefix.h"
#include "object/vip.h"
#include "store/attach.h"
#include "store/attach_netkit.h"
#include "store/attach_pass.h"

bool same_places(const struct endpoint *a, const struct endpoint *b)
{
	return a->placed && b->placed && a->moving == b->moving &&
	       !memcmp(&a->at, &b->at, sizeof(a->at)) &&
	       (!a->moving || !memcmp(&a->to, &b->to, sizeof(a->to)));
}

static bool is_port(const struct tsw_fdb *place)
{
	return place->place == TSW_PLACE_PORT;
}

static int put_record(struct tsw *t, const struct endpoint *ep, __u32 flags)
{
	struct tsw_endpoint record = {.mac = ep->mac, .flags = flags | ep->options};

	if (ep->n_ip)
		record.first = ep->ip[0];
	return map_put(&t->maps, MAP_ENDPOINTS, &ep->key, &record);
}

int install_pending(struct tsw *t, const struct endpoint *ep, __u32 how)
{
	return put_record(t, ep, TSW_ENDPOINT_PENDING | how);
}

int install_finish(struct tsw *t, const struct endpoint *want)
{
	return put_record(t, want, 0);
}

/* Writes the chain of addresses from its end, so that each entry leads to one that exists. */
int install_addrs(struct tsw *t, const struct endpoint *ep)
{
	struct tsw_addr_owner owner = {.mac = ep->mac};
	struct tsw_addr_key key = {.tenant = ep->key.tenant};
	unsigned int i;
	int err = 0;

	for (i = ep->n_ip; !err && i-- > 0;) {
		key.addr = ep->ip[i];
		err = map_put(&t->maps, MAP_ADDRS, &key, &owner);
		owner.next = ep->ip[i];
	}
	return err;
}

/* The address must exist, because its removal lowers the count. */
static int del_addr(struct tsw *t, const struct tsw_addr_key *key)
{
	int err = map_del(&t->maps, MAP_ADDRS, key);

	if (!err)
		t->totals.addrs--;
	return err;
}

static int del_addrs(struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	struct tsw_addr_key key = {.tenant = old->key.tenant};
	struct tsw_addr_owner owner;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < old->n_ip; i++) {
		key.addr = old->ip[i];
		if (want && endpoint_has_ip(want, &key.addr))
			continue;
		err = map_get(&t->maps, MAP_ADDRS, &key, &owner);
		if (!err && endpoint_may_own(t, old, &owner.mac))
			err = del_addr(t, &key);
		else if (err == -ENOENT)
			err = 0;
	}
	return err;
}

static int port_put(struct tsw *t, const struct endpoint *ep, __u32 ifindex, bool peer, bool netkit)
{
	struct tsw_port port = {.tenant = ep->key.tenant, .mac = ep->mac}, old;
	__u32 flags;
	int err = map_get(&t->maps, MAP_PORTS, &ifindex, &old);

	if (err && err != -ENOENT)
		return err;
	if (!err)
		port.flags = old.flags & TSW_PORT_QDISC;
	if (attach_needs_qdisc(t, ifindex))
		port.flags |= TSW_PORT_QDISC;
	if (peer)
		port.flags |= endpoint_peer_flag(ep->options);
	if (netkit)
		port.flags |= TSW_PORT_NETKIT;
	if (ep->n_ip)
		port.flags |= TSW_PORT_GUARD_IP;
	if (ep->vip.n)
		port.flags |= TSW_PORT_VIP;
	port.flags |= endpoint_port_flags(ep->options);
	if (ep->moving)
		port.flags |= TSW_PORT_MOVES;
	err = limits_flags(t, &port, &flags);
	port.flags = flags;
	err = err ?: port_flags_of(t, &port, &flags);
	port.flags |= flags;
	err = err ?: map_put(&t->maps, MAP_PORTS, &ifindex, &port);
	err = err ?: map_put(&t->maps, MAP_DEVICES, &ifindex, &ifindex);
	return err;
}

int ports_put(struct tsw *t, const struct endpoint *ep)
{
	int err = ep->placed && is_port(&ep->at) ? port_put(t, ep, ep->at.id, ep->peer, ep->netkit)
						 : 0;

	if (!err && ep->placed && ep->moving && is_port(&ep->to))
		err = port_put(t, ep, ep->to.id, ep->to_peer, ep->to_netkit);
	return err;
}

/*
 * Attaches tsw_to_port first: nothing may reach the endpoint unguarded. A netkit also needs
 * tsw_from_port at tc's ingress, because a program in the container can redirect a frame past the
 * hook where netkit's programs run.
 */
static int attach_port(struct tsw *t, __u32 ifindex)
{
	struct tsw_port port;
	int err = map_get(&t->maps, MAP_PORTS, &ifindex, &port);

	err = err ?: attach_qdisc(t, ifindex);
	err = err ?: attach_tc(t, PROG_TO_PORT, ifindex);
	err = err ?: attach_tc(t, PROG_FROM_PORT, ifindex);
	if (!err && port.flags & TSW_PORT_NETKIT)
		return attach_netkit(t, ifindex);
	if (err)
		return err;
	return port_has_xdp_pass(&port) ? attach_pass(t, ifindex) : detach_pass(t, ifindex);
}

static int detach_port(struct tsw *t, __u32 ifindex)
{
	int err = detach_netkit(t, ifindex);

	err = err ?: detach_pass(t, ifindex);
	err = err ?: detach_tc(t, PROG_FROM_PORT, ifindex);
	return err ?: detach_tc(t, PROG_TO_PORT, ifindex);
}

/*
 * Does nothing for a deleted device. MAP_DEVICES tells: the kernel removes a deleted device from
 * it, so a later device with the same index is absent.
 */
int port_mend(struct tsw *t, __u32 ifindex)
{
	struct tsw_port port;
	struct link link;
	__u32 device;
	int err = map_get(&t->maps, MAP_DEVICES, &ifindex, &device);

	err = err ?: map_get(&t->maps, MAP_PORTS, &ifindex, &port);
	err = err ?: link_by_index(ifindex, &link);
	if (err)
		return err == -ENOENT || err == -ENODEV ? 0 : err;
	if (attach_needs_qdisc(t, ifindex) && !(port.flags & TSW_PORT_QDISC)) {
		port.flags |= TSW_PORT_QDISC;
		err = map_put(&t->maps, MAP_PORTS, &ifindex, &port);
	}
	return err ?: attach_port(t, ifindex);
}

int port_remove(struct tsw *t, __u32 ifindex)
{
	struct tsw_port port;
	int err = map_get(&t->maps, MAP_PORTS, &ifindex, &port);

	if (err == -ENOENT)
		port.flags = 0;
	else if (err)
		return err;
	err = detach_port(t, ifindex);
	if (!err && port.flags & TSW_PORT_QDISC)
		err = link_drop_clsact(ifindex);
	err = err ?: map_del(&t->maps, MAP_DEVICES, &ifindex);
	return err ?: map_del(&t->maps, MAP_PORTS, &ifindex);
}

/*
 * Removes the port entry of another endpoint whose device is gone, if the new device has its
 * ifindex: frames for that endpoint must not reach the new device. The endpoint keeps its MAC.
 */
static int drop_stale_port(struct tsw *t, const struct endpoint *ep, __u32 ifindex,
			   const struct endpoint *old)
{
	struct tsw_fdb_key key = {};
	struct tsw_port port;
	struct tsw_fdb at;
	int err = map_get(&t->maps, MAP_PORTS, &ifindex, &port);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (port.tenant == ep->key.tenant &&
	    (mac_equal(&port.mac, &ep->mac) || (old && mac_equal(&port.mac, &old->mac))))
		return 0;
	key.tenant = port.tenant;
	key.mac = port.mac;
	err = map_get(&t->maps, MAP_FDB, &key, &at);
	if (!err && at.place == TSW_PLACE_PORT && at.id == ifindex) {
		err = map_put(&t->maps, MAP_FDB, &key, &fdb_nowhere);
		err = err ?: flood_list_leave(t, port.tenant, &at);
	}
	return err && err != -ENOENT ? err : port_remove(t, ifindex);
}

/*
 * A device that left the namespace has taken its programs along, and may have come back with
 * another index. Then these programs must go before new ones are attached: a program can be
 * attached to a device only once.
 */
static int detach_gone(struct tsw *t, __u32 ifindex)
{
	__u32 device;
	int err = map_get(&t->maps, MAP_DEVICES, &ifindex, &device);

	return err == -ENOENT ? detach_port(t, ifindex) : err;
}

/* Detaches the programs from vanished devices of OLD that are no place of WANT. */
static int detach_all_gone(struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	struct tsw_fdb place[PLACES];
	unsigned int n = endpoint_places(old, place), i;
	int err = 0;

	for (i = 0; !err && i < n; i++)
		if (is_port(&place[i]) && !endpoint_is_at(want, &place[i]))
			err = detach_gone(t, place[i].id);
	return err;
}

/* Makes the ports ready: entries, programs, and the flood list at places new since OLD. */
static int install_places(struct tsw *t, const struct endpoint *want, const struct endpoint *old)
{
	struct tsw_fdb place[PLACES];
	unsigned int n = endpoint_places(want, place), i;
	int err = ports_put(t, want);

	for (i = 0; !err && i < n; i++)
		if (!old || !endpoint_is_at(old, &place[i]))
			err = flood_list_join(t, want->key.tenant, &place[i]);
	if (!err && old)
		err = detach_all_gone(t, old, want);
	for (i = 0; !err && i < n; i++)
		if (is_port(&place[i]))
			err = attach_port(t, place[i].id);
	return err;
}

/*
 * Writes tsw_fdb, which leads frames to the endpoint. If the same move is under way already, the
 * entry stays, because programs write it too. When a move ends, programs that still use its entry
 * of tsw_moves finish before tsw_fdb is written.
 */
static int lead_to(struct tsw *t, const struct endpoint *want, const struct endpoint *old)
{
	const struct tsw_fdb_key key = {.tenant = want->key.tenant, .mac = want->mac};
	const struct tsw_move move = {.from = want->at, .to = want->to};
	const bool same = old && mac_equal(&old->mac, &want->mac);
	int err = 0;

	if (want->moving && same && same_places(old, want))
		return 0;
	if (same && old->moving) {
		err = map_del(&t->maps, MAP_MOVES, &key);
		wait_for_programs();
	}
	err = err ?: map_put(&t->maps, MAP_FDB, &key, endpoint_now(want));
	return !err && want->moving ? map_put(&t->maps, MAP_MOVES, &key, &move) : err;
}

int install(struct tsw *t, const struct endpoint *want, const struct endpoint *old, __u32 how)
{
	const struct tsw_fdb_key key = {.tenant = want->key.tenant, .mac = want->mac};
	struct tsw_fdb place[PLACES];
	unsigned int n = endpoint_places(want, place), i;
	int err = 0;

	/*
	 * A new MAC gets the old place and the networks behind the endpoint before the record names
	 * it. So a kill loses neither.
	 */
	if (old && !mac_equal(&old->mac, &want->mac)) {
		err = old->placed ? map_put(&t->maps, MAP_FDB, &key, endpoint_now(old)) : 0;
		err = err ?: prefixes_store(t, want);
	}
	err = err ?: limits_put(t, key.tenant, &key.mac, &want->limits);
	err = err ?: member_put(t, key.tenant, &key.mac, &want->groups);
	err = err ?: vips_store(t, &key, &want->vip);
	err = err ?: macs_put(t, &key, want->macs);
	err = err ?: install_pending(t, want, how);
	for (i = 0; !err && i < n; i++)
		if (is_port(&place[i]))
			err = drop_stale_port(t, want, place[i].id, old);
	err = err ?: install_addrs(t, want);
	err = err ?: vips_add(t, want);
	err = err ?: prefixes_install(t, want);
	err = err ?: named_put(t, &want->key, &want->mac);
	err = err ?: install_places(t, want, old);
	err = err ?: lead_to(t, want, old);
	return err || !old ? err : install_pending(t, want, how | TSW_ENDPOINT_LISTED);
}

static int search_ports(struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_PORTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_port *port = row_value(&rows, i);
		__u32 ifindex = *(const __u32 *)row_key(&rows, i);

		if (port->tenant != old->key.tenant || !mac_equal(&port->mac, &old->mac))
			continue;
		if (!want || !endpoint_is_at(want, &(struct tsw_fdb){TSW_PLACE_PORT, ifindex}))
			err = port_remove(t, ifindex);
	}
	return err;
}

static int search_addrs(struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_ADDRS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_addr_key *key = row_key(&rows, i);
		const struct tsw_addr_owner *owner = row_value(&rows, i);

		if (key->tenant != old->key.tenant || !mac_equal(&owner->mac, &old->mac) ||
		    owner->kind == TSW_ADDR_VIP)
			continue;
		if (!want || !endpoint_has_ip(want, &key->addr))
			err = del_addr(t, key);
	}
	return err;
}

/* Removes the ports and the members of flood lists at places of OLD that WANT does not have. */
static int leave_places(struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	struct tsw_fdb place[PLACES];
	unsigned int n = endpoint_places(old, place), i;
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		if (want && endpoint_is_at(want, &place[i]))
			continue;
		err = flood_list_leave(t, old->key.tenant, &place[i]);
		if (!err && is_port(&place[i]))
			err = port_remove(t, place[i].id);
	}
	return err;
}

static const struct tsw_policy_member no_groups;

/* Removes the entries by the endpoint's MAC. */
static int drop_mac(struct tsw *t, const struct endpoint *old)
{
	const struct tsw_fdb_key key = {.tenant = old->key.tenant, .mac = old->mac};
	int err = old->moving ? map_del(&t->maps, MAP_MOVES, &key) : 0;

	err = err ?: map_del(&t->maps, MAP_FDB, &key);
	err = err ?: limits_drop(t, key.tenant, &key.mac);
	err = err ?: member_put(t, key.tenant, &key.mac, &no_groups);
	err = err ?: map_del(&t->maps, MAP_VIPS, &key);
	err = err ?: macs_put(t, &key, 0);
	return err ?: map_del(&t->maps, MAP_NAMES, &key);
}

int uninstall(struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	const struct tsw_fdb_key key = {.tenant = old->key.tenant, .mac = old->mac};
	const bool same = want && mac_equal(&old->mac, &want->mac);
	int err = same ? 0 : drop_mac(t, old);

	err = err ?: leave_places(t, old, want);
	if (!err && !same)
		err = bound_drop(t, &key);
	err = err ?: vips_drop(t, old, want);
	err = err ?: del_addrs(t, old, want);
	err = err ?: prefixes_uninstall(t, old, want);
	if (!err && old->pending)
		err = search_ports(t, old, want);
	if (!err && old->pending)
		err = search_addrs(t, old, want);
	return err;
}

int uninstall_finish(struct tsw *t, const struct endpoint *old)
{
	return map_del(&t->maps, MAP_ENDPOINTS, &old->key);
}
