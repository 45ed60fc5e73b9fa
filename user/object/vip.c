// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "object/vip.h"
#include "record/prefix_find.h"
#include "record/tenant_find.h"
#include "rules/rules.h"
#include "store/attach.h"

static const struct tsw_addr_owner nobody = {.kind = TSW_ADDR_VIP};

/* OLD: the endpoint's MAC, or NULL. prefixes_check() refuses a network of its own that stays. */
static int check_one(const struct tsw *t, const struct tsw_addr_key *key, const struct tsw_mac *old,
		     __u32 *fresh)
{
	struct tsw_addr_owner owner = {};
	struct tsw_behind behind = {};
	int err = map_get(&t->maps, MAP_ADDRS, key, &owner);

	if (err == -ENOENT) {
		++*fresh;
		err = prefix_behind(t, key, &behind);
		owner.mac = behind.mac;
		if (!err && old && mac_equal(old, &owner.mac))
			return 0;
	}
	if (err || owner.kind == TSW_ADDR_VIP)
		return err == -ENOENT ? 0 : err;
	return rule_taken(tenant_name_of(t, key->tenant).s, "address", addr_text(&key->addr),
			  endpoint_owner_text(t, key->tenant, &owner.mac));
}

int vips_check(const struct tsw *t, const struct endpoint *old, const struct endpoint *want,
	       __u32 *fresh)
{
	struct tsw_addr_key key = {.tenant = want->key.tenant};
	__u32 i;
	int err = vips_check_own(&want->vip, want->ip, want->n_ip);

	for (i = 0; !err && i < want->vip.n; i++) {
		key.addr = want->vip.at[i];
		err = check_one(t, &key, old ? &old->mac : NULL, fresh);
	}
	return err;
}

/* Keeps an existing entry, because programs write it. */
static int add(const struct tsw *t, const struct tsw_addr_key *key)
{
	struct tsw_taken taken = {};
	struct tsw_addr_owner owner;
	int err = map_get(&t->maps, MAP_TAKEN, key, &taken);

	if (err == -ENOENT)
		err = map_put(&t->maps, MAP_TAKEN, key, &taken);
	err = err ?: map_get(&t->maps, MAP_ADDRS, key, &owner);
	return err == -ENOENT ? map_put(&t->maps, MAP_ADDRS, key, &nobody) : err;
}

int vips_add(const struct tsw *t, const struct endpoint *ep)
{
	struct tsw_addr_key key = {.tenant = ep->key.tenant};
	__u32 i;
	int err = 0;

	for (i = 0; !err && i < ep->vip.n; i++) {
		key.addr = ep->vip.at[i];
		err = add(t, &key);
	}
	return err;
}

/* Whether an endpoint may take the address. MAC, unless it is NULL: that endpoint. */
static bool has_member(const struct rows *vips, const struct tsw_addr_key *key,
		       const struct tsw_mac *mac)
{
	size_t i;

	for (i = 0; i < vips->n; i++) {
		const struct tsw_fdb_key *who = row_key(vips, i);

		if (who->tenant == key->tenant && (!mac || mac_equal(&who->mac, mac)) &&
		    vips_list(row_value(vips, i), &key->addr))
			return true;
	}
	return false;
}

bool vip_is_sole(const struct tsw *t, const struct tsw_addr_key *key, const struct tsw_mac *mac)
{
	cleanup_rows struct rows vips = {};
	size_t i;

	if (map_rows(&t->maps, MAP_VIPS, &vips))
		return false;
	for (i = 0; i < vips.n; i++) {
		const struct tsw_fdb_key *who = row_key(&vips, i);

		if (who->tenant == key->tenant && !mac_equal(&who->mac, mac) &&
		    vips_list(row_value(&vips, i), &key->addr))
			return false;
	}
	return true;
}

/*
 * Takes the vip from its holder. Another member may take it at the same time. Its frame writes
 * tsw_taken before tsw_addrs, so it is found here, or it writes tsw_addrs later.
 */
static int give_up(const struct tsw *t, const struct tsw_addr_key *key, const struct tsw_mac *mac)
{
	struct tsw_addr_owner owner = nobody;
	struct tsw_taken taken;
	int err = map_put(&t->maps, MAP_ADDRS, key, &owner);

	err = err ?: map_get(&t->maps, MAP_TAKEN, key, &taken);
	if (err)
		return err == -ENOENT ? 0 : err;
	memcpy(&owner.mac, &taken.mac, sizeof(owner.mac));
	return taken.mac && !mac_equal(&owner.mac, mac) ? map_put(&t->maps, MAP_ADDRS, key, &owner)
							: 0;
}

static int remove_vip(struct tsw *t, const struct tsw_addr_key *key)
{
	struct tsw_addr_owner owner;
	int err = map_get(&t->maps, MAP_ADDRS, key, &owner);

	if (!err && owner.kind == TSW_ADDR_VIP) {
		err = map_del(&t->maps, MAP_ADDRS, key);
		t->totals.addrs -= !err;
	}
	return err && err != -ENOENT ? err : map_del(&t->maps, MAP_TAKEN, key);
}

/* One vip of OLD, whose holder may be OLD's MAC. */
static int drop_one(struct tsw *t, const struct tsw_addr_key *key, const struct endpoint *old,
		    const struct endpoint *want, const struct rows *vips)
{
	const bool keeps = want && vips_have(&want->vip, &key->addr);
	struct tsw_addr_owner owner;
	int err;

	if (!keeps && !has_member(vips, key, NULL))
		return remove_vip(t, key);
	err = map_get(&t->maps, MAP_ADDRS, key, &owner);
	if (err || !mac_equal(&owner.mac, &old->mac))
		return err == -ENOENT ? 0 : err;
	if (!keeps)
		return give_up(t, key, &old->mac);
	owner.mac = want->mac;
	return map_put(&t->maps, MAP_ADDRS, key, &owner);
}

int vips_drop(struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	const bool same = want && mac_equal(&old->mac, &want->mac);
	struct tsw_addr_key key = {.tenant = old->key.tenant};
	cleanup_rows struct rows vips = {};
	__u32 i, gone = 0;
	int err;

	for (i = 0; i < old->vip.n; i++)
		gone += !same || !vips_have(&want->vip, &old->vip.at[i]);
	if (!gone)
		return 0;
	wait_for_programs();
	err = map_rows(&t->maps, MAP_VIPS, &vips);
	for (i = 0; !err && i < old->vip.n; i++) {
		key.addr = old->vip.at[i];
		if (!same || !vips_have(&want->vip, &key.addr))
			err = drop_one(t, &key, old, want, &vips);
	}
	return err;
}

static int settle_taken(struct tsw *t, const struct tsw_addr_key *key, const struct rows *vips)
{
	struct tsw_addr_owner owner;
	int err;

	if (!has_member(vips, key, NULL))
		return remove_vip(t, key);
	err = map_get(&t->maps, MAP_ADDRS, key, &owner);
	if (err || owner.kind != TSW_ADDR_VIP || has_member(vips, key, &owner.mac))
		return err == -ENOENT ? 0 : err;
	return map_put(&t->maps, MAP_ADDRS, key, &nobody);
}

/* A command that was killed may have written the vips and not the port. */
static int settle_ports(const struct tsw *t)
{
	cleanup_rows struct rows ports = {};
	struct tsw_vip_list vips;
	struct tsw_port port;
	size_t i;
	int err = map_rows(&t->maps, MAP_PORTS, &ports);

	for (i = 0; !err && i < ports.n; i++) {
		port = *(const struct tsw_port *)row_value(&ports, i);
		err = vips_load(t, &(struct tsw_fdb_key){port.tenant, port.mac}, &vips);
		if (err || !vips.n == !(port.flags & TSW_PORT_VIP))
			continue;
		port.flags ^= TSW_PORT_VIP;
		err = map_put(&t->maps, MAP_PORTS, (const __u32 *)row_key(&ports, i), &port);
	}
	return err;
}

int vips_settle(struct tsw *t)
{
	cleanup_rows struct rows vips = {}, taken = {};
	struct tsw_addr_key key = {};
	size_t i, k;
	int err = map_rows(&t->maps, MAP_VIPS, &vips);

	err = err ?: map_rows(&t->maps, MAP_TAKEN, &taken);
	if (!err && taken.n)
		wait_for_programs();
	for (i = 0; !err && i < taken.n; i++)
		err = settle_taken(t, row_key(&taken, i), &vips);
	for (i = 0; !err && i < vips.n; i++) {
		const struct tsw_vips *its = row_value(&vips, i);

		key.tenant = ((const struct tsw_fdb_key *)row_key(&vips, i))->tenant;
		for (k = 0; !err && k < TSW_VIPS && !addr_is_none(&its->addr[k]); k++) {
			key.addr = its->addr[k];
			err = add(t, &key);
		}
	}
	return err ?: settle_ports(t);
}

bool vip_is_held(const struct tsw *t, const struct tsw_fdb_key *who, const struct tsw_addr *addr)
{
	const struct tsw_addr_key key = {.tenant = who->tenant, .addr = *addr};
	struct tsw_addr_owner owner;

	return !map_get(&t->maps, MAP_ADDRS, &key, &owner) && owner.kind == TSW_ADDR_VIP &&
	       mac_equal(&owner.mac, &who->mac);
}
