// SPDX-License-Identifier: GPL-2.0-only
/* Changes an endpoint as a whole: checks everything, then writes, and undoes what failed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "door/routed.h"
#include "object/endpoint.h"
#include "object/install.h"
#include "object/limit.h"
#include "object/prefix.h"
#include "object/vip.h"
#include "record/count.h"
#include "record/nets.h"
#include "record/prefix_find.h"
#include "record/share.h"
#include "rules/rules.h"
#include "store/attach.h"
#include "store/attach_netkit.h"
#include "store/attach_pass.h"

/* Adds to *FRESH the number of addresses that no endpoint has yet. */
static int check_ips(struct tsw *t, const struct endpoint *old, const struct endpoint *want,
		     __u32 *fresh)
{
	struct tsw_addr_key key = {.tenant = want->key.tenant};
	unsigned int i;
	int err = addrs_check(want->ip, want->n_ip);

	for (i = 0; !err && i < want->n_ip; i++) {
		key.addr = want->ip[i];
		err = endpoint_check_addr(t, &key, old ? &old->mac : NULL, fresh);
	}
	return err;
}

/*
 * VIPS: how many are new. Endpoints and addresses that exist stay, even where a lowered share would
 * not admit them.
 */
static int check_share(const struct tsw *t, const struct tsw_tenant *tenant,
		       const struct tsw_share *share, const struct endpoint *old,
		       const struct endpoint *want, __u32 vips)
{
	const __u32 most = share_endpoints(&t->config, share->endpoints);
	const __u32 had = old ? old->n_ip : 0;

	if (!old && tenant->endpoints >= most)
		return fail(ENOSPC,
			    "tenant %s has %u endpoints, and its share is %u: increase it "
			    "with tenant set max-endpoints",
			    quoted(tenant->name), tenant->endpoints, most);
	if ((want->n_ip > had || vips) &&
	    share->addrs - had + want->n_ip + vips > share_addrs(&t->config, most))
		return fail(ENOSPC,
			    "the endpoints of tenant %s have %u addresses, and its share is %u: "
			    "increase it with tenant set max-endpoints, by %d for each",
			    quoted(tenant->name), share->addrs, share_addrs(&t->config, most),
			    TSW_ADDRS_PER_ENDPOINT);
	return 0;
}

static int check(struct tsw *t, const struct endpoint *old, const struct endpoint *want,
		 __u32 *fresh)
{
	struct tsw_tenant tenant;
	struct tsw_share share;
	__u32 vips = 0;
	int err = check_ips(t, old, want, fresh); /* a plugin makes the MAC of an address */

	err = err ?: vips_check(t, old, want, &vips);
	*fresh += vips;
	err = err ?: prefixes_check(t, old, want);
	if (!err && (!old || !mac_equal(&old->mac, &want->mac)))
		err = endpoint_check_mac(t, want->key.tenant, &want->mac, false);
	if (!err && old && old->moving && want->moving)
		err = rule_moving_mac(want->key.name.s, &old->mac, &want->mac);
	err = err ?: tenant_counted(t, want->key.tenant, &tenant, &share);
	err = err ?: limits_check(t, tenant.encap, tenant.mtu, &want->limits);
	if (err)
		return err;
	if (!old && t->totals.endpoints >= t->config.max_endpoints)
		return fail(ENOSPC, "the switch is full: max-endpoints is %u",
			    t->config.max_endpoints);
	err = endpoint_check_room(t, *fresh);
	return err ?: check_share(t, &tenant, &share, old, want, vips);
}

/* Tells whether the port's entries are as wanted, and its programs are attached. */
static bool has_port(struct tsw *t, const struct endpoint *ep, __u32 ifindex, bool peer,
		     bool netkit)
{
	const __u32 reach = peer ? endpoint_peer_flag(ep->options) : 0;
	struct tsw_port port;
	__u32 device;

	return !map_get(&t->maps, MAP_DEVICES, &ifindex, &device) &&
	       !map_get(&t->maps, MAP_PORTS, &ifindex, &port) && port.tenant == ep->key.tenant &&
	       mac_equal(&port.mac, &ep->mac) &&
	       (port.flags & (TSW_PORT_PEER | TSW_PORT_XDP)) == reach &&
	       !(port.flags & TSW_PORT_NETKIT) == !netkit &&
	       attached_tc(t, PROG_FROM_PORT, ifindex) && attached_tc(t, PROG_TO_PORT, ifindex) &&
	       (!netkit || attached_netkit(t, ifindex)) &&
	       (!port_has_xdp_pass(&port) || attached_pass(ifindex));
}

/* Tells whether nothing is to be done: entries and programs are as wanted already. */
static bool is_same(struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	if (old->pending || old->options != want->options || old->macs != want->macs ||
	    !same_places(old, want) || !mac_equal(&old->mac, &want->mac) ||
	    !limits_equal(&old->limits, &want->limits) ||
	    memcmp(&old->groups, &want->groups, sizeof(old->groups)) || old->n_ip != want->n_ip ||
	    memcmp(&old->vip, &want->vip, sizeof(old->vip)) ||
	    !prefixes_equal(&old->prefix, &want->prefix) ||
	    memcmp(old->ip, want->ip, sizeof(old->ip[0]) * old->n_ip))
		return false;
	if (want->at.place == TSW_PLACE_PORT &&
	    !has_port(t, want, want->at.id, want->peer, want->netkit))
		return false;
	return !want->moving || want->to.place != TSW_PLACE_PORT ||
	       has_port(t, want, want->to.id, want->to_peer, want->to_netkit);
}

/* Changes the count of endpoints of each host where EP lives but OTHER, if not NULL, does not. */
static int count_hosts(struct tsw *t, const struct endpoint *ep, const struct endpoint *other,
		       int more)
{
	struct tsw_fdb place[PLACES];
	unsigned int n = endpoint_places(ep, place), i;
	int err = 0;

	for (i = 0; !err && i < n; i++)
		if (place[i].place == TSW_PLACE_HOST &&
		    !(other && endpoint_is_at(other, &place[i])))
			err = host_count(t, place[i].id, more);
	return err;
}

/* Updates the counts of endpoints and addresses. HAD: the switch's addresses before the change. */
static int count(struct tsw *t, const struct endpoint *old, const struct endpoint *want, __u32 had)
{
	const int more = (want != NULL) - (old != NULL);
	const int addrs = (int)(t->totals.addrs - had);
	int err = 0;

	t->totals.endpoints += (__u32)more;
	if (more || addrs)
		err = tenant_count(t, (want ? want : old)->key.tenant, more, addrs);
	if (!err && old)
		err = count_hosts(t, old, want, -1);
	if (!err && want)
		err = count_hosts(t, want, old, 1);
	return err;
}

/*
 * Notes which addresses of the tenant's nets OLD gives up. WANT is the new endpoint, or NULL.
 * `auto` lets these addresses rest, because neighbours still know their old owner. The note comes
 * before the address is removed, so that a kill in between loses no note.
 */
static int give_up(struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	struct tsw_addr_key key = {.tenant = old->key.tenant};
	struct tsw_nets nets;
	unsigned int i;
	int err = old->n_ip ? nets_load(t, key.tenant, &nets) : 0;

	for (i = 0; !err && i < old->n_ip; i++) {
		key.addr = old->ip[i];
		if ((!want || !endpoint_has_ip(want, &key.addr)) && nets_have(&nets, &key.addr))
			err = addr_give_up(t, &key);
	}
	return err;
}

/* Routes of a host that serves the tenant's gateway without NAT. OLD and WANT may be NULL. */
static int change_routes(struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	static const struct tsw_prefix_list none;
	const struct tsw_prefix_list *from = old ? &old->prefix : &none;
	const struct tsw_prefix_list *to = want ? &want->prefix : &none;

	if (prefixes_equal(from, to))
		return 0;
	return routed_change_behind(t, (want ? want : old)->key.tenant, from, to);
}

/* Writes the new entries before it removes the old ones, so that no frame is lost. */
static int apply(struct tsw *t, const struct endpoint *old, const struct endpoint *want,
		 __u32 fresh)
{
	const __u32 had = t->totals.addrs;
	int err;

	t->totals.addrs += fresh;
	err = install(t, want, old, old ? 0 : TSW_ENDPOINT_GOING);
	if (!err && old)
		err = uninstall(t, old, want);
	err = err ?: change_routes(t, old, want);
	err = err ?: install_finish(t, want);
	return err ?: count(t, old, want, had);
}

/* Reverts a change that failed half-way. The next use of the switch counts everything again. */
static int undo(struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	const struct failure why = *failure();
	struct endpoint failed;

	if (old && old->placed)
		install(t, old, NULL, 0);
	if (want) {
		failed = *want;
		failed.pending = true;
		uninstall(t, &failed, old);
	}
	change_routes(t, want, old);
	if (!old)
		uninstall_finish(t, want);
	else if (old->pending)
		install_pending(t, old, 0);
	else
		install_finish(t, old);
	t->torn = true;
	return fail_again(&why);
}

int endpoint_change(struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	__u32 fresh = 0;
	int err = check(t, old, want, &fresh);

	if (err || (old && is_same(t, old, want)))
		return err;
	if (old)
		err = give_up(t, old, want);
	if (err)
		return err;
	err = apply(t, old, want, fresh);
	return err ? undo(t, old, want) : 0;
}

static int del(struct tsw *t, const struct endpoint *ep)
{
	const __u32 had = t->totals.addrs;
	int err = install_pending(t, ep, TSW_ENDPOINT_GOING);

	err = err ?: uninstall(t, ep, NULL);
	err = err ?: change_routes(t, ep, NULL);
	err = err ?: uninstall_finish(t, ep);
	err = err ?: count(t, ep, NULL, had);
	return err ? undo(t, ep, NULL) : 0;
}

int endpoint_del(struct tsw *t, const struct endpoint *ep)
{
	int err = give_up(t, ep, NULL);

	return err ?: del(t, ep);
}

/* The addresses need no rest: no neighbour is left who could know their old owner. */
int endpoint_del_all(struct tsw *t, __u32 tenant)
{
	cleanup_rows struct rows rows = {};
	struct endpoint ep;
	size_t i;
	int err = map_rows(&t->maps, MAP_ENDPOINTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_endpoint_key *key = row_key(&rows, i);

		if (key->tenant != tenant)
			continue;
		err = endpoint_load(t, key, &ep);
		err = err ?: del(t, &ep);
	}
	return err;
}
