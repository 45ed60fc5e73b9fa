// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/key.h"
#include "base/text.h"
#include "record/host_keys.h"
#include "store/attach.h"
#include "wire/crypt.h"
#include "wire/underlay.h"

static const __u32 zero;

enum { DRAWS = 256 }; /* tries; every second key has the wanted parity */

static int put_map(const struct tsw *t, const struct crypt *c)
{
	return map_put(&t->maps, MAP_CRYPT, &zero, &c->map);
}

/* ---- devices ---------------------------------------------------------------------- */

static int detach(struct tsw *t, __u32 ifindex)
{
	int err = detach_tc(t, PROG_FROM_WIRE, ifindex);

	return err ?: detach_tc(t, PROG_TO_WIRE, ifindex);
}

/* Makes the device if it is missing. One left by a kill is known by map, alias or name. */
static int have_device(struct tsw *t, struct crypt *c, unsigned int own, unsigned int other)
{
	__u32 *ifindex = &c->map.ifindex[own][other];
	int err = 0;

	if (wg_is_of(*ifindex, t->instance))
		return map_put(&t->maps, MAP_CRYPT_DEVICES, ifindex, ifindex);
	if (*ifindex) /* removes the pins of a device that is gone */
		err = detach(t, *ifindex);
	*ifindex = 0;
	err = err ?: wg_make(t->instance, underlay_mtu(t), ifindex);
	err = err ?: map_put(&t->maps, MAP_CRYPT_DEVICES, ifindex, ifindex);
	return err ?: put_map(t, c);
}

static int drop_device(struct tsw *t, struct crypt *c, unsigned int own, unsigned int other)
{
	const __u32 ifindex = c->map.ifindex[own][other];
	int err;

	if (!ifindex)
		return 0;
	c->map.ifindex[own][other] = 0;
	wg_free(&c->device[own][other]);
	err = put_map(t, c);
	err = err ?: map_del(&t->maps, MAP_CRYPT_DEVICES, &ifindex);
	err = err ?: detach(t, ifindex);
	return err || !wg_is_of(ifindex, t->instance) ? err : link_delete(ifindex);
}

static int mend_link(struct tsw *t, __u32 ifindex, bool *up)
{
	const __u32 mtu = underlay_mtu(t);
	struct link link;
	int err = link_by_index(ifindex, &link);

	if (!err && mtu && link.mtu != mtu)
		err = wg_configure(ifindex, t->instance, mtu);
	err = err ?: attach_qdisc(t, ifindex);
	err = err ?: attach_tc(t, PROG_FROM_WIRE, ifindex);
	err = err ?: attach_tc(t, PROG_TO_WIRE, ifindex);
	*up = !err && link.flags & IFF_UP;
	return err;
}

static int mend_peers(const struct crypt *c, unsigned int own, unsigned int other)
{
	const struct wg_device *device = &c->device[own][other];
	const __u32 ifindex = c->map.ifindex[own][other];
	const struct wg_peer *have;
	struct wg_peer want;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < c->hosts.n; i++) {
		if (!crypt_wants_peer(c, own, other, i, &want))
			continue;
		have = wg_find(device, want.key);
		if (!have || !crypt_peer_fits(have, &want, &c->hosts.row[i].host))
			err = wg_set_peer(ifindex, have, &want);
	}
	return err;
}

/* Addresses belong to one peer, so old peers go before new ones get their addresses. */
static int drop_peers(const struct crypt *c, unsigned int own, unsigned int other)
{
	const struct wg_device *device = &c->device[own][other];
	cleanup_free bool *wanted = calloc(device->n + 1, sizeof(*wanted));
	const struct wg_peer *have;
	struct wg_peer want;
	size_t i;
	int err = wanted ? 0 : fail_memory();

	for (i = 0; !err && i < c->hosts.n; i++) {
		have = crypt_wants_peer(c, own, other, i, &want) ? wg_find(device, want.key) : NULL;
		if (have)
			wanted[have - device->peer] = true;
	}
	for (i = 0; !err && i < device->n; i++)
		if (!wanted[i])
			err = wg_del_peer(c->map.ifindex[own][other], device->peer[i].key);
	return err;
}

static int mend_device(struct tsw *t, struct crypt *c, unsigned int own, unsigned int other)
{
	const struct own_key *key = own_key_of(&c->keys, own);
	struct wg_device *device = &c->device[own][other];
	const __u16 port = (__u16)TSW_CRYPT_PORT_OF(c->map.port, own, other);
	int err = have_device(t, c, own, other);
	const __u32 ifindex = c->map.ifindex[own][other];
	bool up = false;

	if (!err && (!key_equal(device->key, key->public) || device->port != port || device->mark))
		err = wg_set_device(ifindex, key->private, port);
	err = err ?: mend_link(t, ifindex, &up);
	err = err ?: drop_peers(c, own, other);
	err = err ?: mend_peers(c, own, other);
	return err || up ? err : wg_start(ifindex);
}

/* Removes unwanted devices first, because others may take their ports. */
static int mend_devices(struct tsw *t, struct crypt *c)
{
	unsigned int own, other;
	int err = 0;

	crypt_each(own, other)
		if (!err && !crypt_wants_device(c, own, other))
			err = drop_device(t, c, own, other);
	err = err
		      ?: wg_delete_others(t->instance, &c->map.ifindex[0][0],
					  TSW_CRYPT_PARITIES * TSW_CRYPT_PARITIES);
	crypt_each(own, other)
		if (!err && crypt_wants_device(c, own, other))
			err = mend_device(t, c, own, other);
	return err;
}

/* ---- own keys --------------------------------------------------------------------- */

/* Draws a key of the wanted parity. The kernel computes the public key from the private one. */
static int draw(const struct crypt *c, __u32 ifindex, unsigned int own, struct own_key *key)
{
	const __u16 port = (__u16)TSW_CRYPT_PORT_OF(c->map.port, own, 0);
	int err = 0, i;

	for (i = 0; !err && i < DRAWS; i++) {
		cleanup_wg struct wg_device device = {};

		err = own_key_draw(key->private);
		err = err ?: wg_set_device(ifindex, key->private, port);
		err = err ?: wg_get(ifindex, &device);
		memcpy(key->public, device.key, TSW_CRYPT_KEY);
		if (!err && !key_is_none(key->public) && TSW_CRYPT_PARITY(key->public) == own)
			return 0;
	}
	return err ?: fail(EIO, "cannot read the public key of WireGuard device %u", ifindex);
}

/* The device is down until the file has its key. */
static int add_key(struct tsw *t, struct crypt *c, unsigned int own)
{
	struct own_keys keys = c->keys;
	int err = have_device(t, c, own, 0);

	err = err ?: draw(c, c->map.ifindex[own][0], own, &keys.at[keys.n++]);
	err = err ?: key_file_write(t->instance, &keys);
	if (!err)
		c->keys = keys;
	own_keys_wipe(&keys);
	if (err)
		return err;
	wg_free(&c->device[own][0]);
	return wg_get(c->map.ifindex[own][0], &c->device[own][0]);
}

/* Fails if the key file is gone while devices still have the key that other hosts know. */
static int check_lost(const struct tsw *t, const struct crypt *c)
{
	unsigned int own, other;
	struct link link;

	crypt_each(own, other)
		if (!key_is_none(c->device[own][other].key) &&
		    !link_by_index(c->map.ifindex[own][other], &link) && link.flags & IFF_UP)
			return fail(
				ENOENT,
				"the switch's key file, /var/lib/tsw/%s.key, is missing: restore "
				"it, or make a new key by switch set encrypt off and on, and tell "
				"it to the other hosts",
				escaped(t->instance));
	return 0;
}

/* ---- changes of keys -------------------------------------------------------------- */

/*
 * After a handshake by the host's new key, switches to that by one write. Drops an old key later.
 */
static int advance_host(const struct tsw *t, struct crypt *c, size_t i)
{
	struct host_row *row = &c->hosts.row[i];
	const unsigned int used = host_keys_used(&row->host);
	const __u64 by_other = crypt_handshake_by(c, !used, i),
		    by_used = crypt_handshake_by(c, used, i);

	if (row->host.flags & TSW_HOST_COMING) {
		if (!by_other)
			return 0;
		row->host.flags ^= TSW_HOST_COMING | TSW_HOST_ODD;
		return map_put(&t->maps, MAP_HOSTS, &row->id, &row->host);
	}
	if (key_is_none(c->host_keys[i].key[!used]) || row->host.flags & TSW_HOST_BOTH ||
	    by_used <= by_other || c->now < by_other + CRYPT_IDLE)
		return 0;
	memset(c->host_keys[i].key[!used], 0, TSW_CRYPT_KEY);
	return map_put(&t->maps, MAP_HOST_KEYS, &row->id, &c->host_keys[i]);
}

static int drop_old_key(struct tsw *t, struct crypt *c)
{
	struct own_keys keys = {.at = {c->keys.at[c->keys.n - 1]}, .n = 1};
	int err = key_file_write(t->instance, &keys);

	if (!err)
		c->keys = keys;
	t->key_over |= !err;
	own_keys_wipe(&keys);
	return err;
}

static int advance(struct tsw *t, struct crypt *c)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < c->hosts.n; i++)
		err = advance_host(t, c, i);
	return err || !crypt_is_idle(c) ? err : drop_old_key(t, c);
}

/* Sets which hosts get clear frames, and clears flags left over from earlier settings. */
static int mend_clear(const struct tsw *t, struct crypt *c)
{
	const bool mixed = c->map.flags & TSW_CRYPT_MIXED;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < c->hosts.n; i++) {
		struct host_row *row = &c->hosts.row[i];
		const bool clear = mixed && !host_has_key(&c->host_keys[i]);

		if (clear == !!(row->host.flags & TSW_HOST_CLEAR))
			continue;
		row->host.flags ^= TSW_HOST_CLEAR;
		err = map_put(&t->maps, MAP_HOSTS, &row->id, &row->host);
	}
	return err;
}

int crypt_mend_clear(const struct tsw *t)
{
	cleanup_crypt struct crypt c = {};
	int err = crypt_read(t, &c);

	return err ?: mend_clear(t, &c);
}

/* ---- everything ------------------------------------------------------------------- */

static int mend(struct tsw *t, struct crypt *c)
{
	int err = mend_clear(t, c);

	if (!err && !c->keys.n) {
		err = check_lost(t, c);
		err = err ?: add_key(t, c, 0);
	}
	err = err ?: advance(t, c);
	err = err ?: mend_devices(t, c);
	if (err || c->map.own == own_keys_used(&c->keys))
		return err;
	c->map.own = own_keys_used(&c->keys);
	return put_map(t, c);
}

int crypt_mend(struct tsw *t)
{
	cleanup_crypt struct crypt c = {};
	int err;

	if (!crypt_is_on(t))
		return 0;
	err = wg_check_kernel();
	err = err ?: crypt_read(t, &c);
	return err ?: mend(t, &c);
}

int crypt_remove(struct tsw *t)
{
	struct crypt c = {};
	unsigned int own, other;
	int err = 0;

	if (t->maps.fd[MAP_CRYPT] >= 0)
		err = map_get(&t->maps, MAP_CRYPT, &zero, &c.map);
	crypt_each(own, other)
		err = err ?: drop_device(t, &c, own, other);
	return err ?: wg_delete_others(t->instance, NULL, 0);
}

int crypt_remove_key(const struct tsw *t)
{
	return key_file_remove(t->instance);
}

/* Reads the device only if it may have the peer already. */
static int put_peer(__u32 ifindex, bool is_there, const struct wg_peer *want)
{
	cleanup_wg struct wg_device device = {};
	int err = is_there ? wg_get(ifindex, &device) : 0;

	return err ?: wg_set_peer(ifindex, wg_find(&device, want->key), want);
}

int crypt_put_host(struct tsw *t, const struct tsw_host_keys *old, const struct tsw_host *host,
		   const struct tsw_host_keys *keys)
{
	cleanup_crypt struct crypt c = {};
	struct tsw_host_keys its = *keys;
	struct host_row row = {.host = *host};
	unsigned int own, other;
	struct wg_peer peer;
	int err;

	if (!crypt_is_on(t) || (!host_has_key(old) && !host_has_key(keys)))
		return 0;
	err = map_get(&t->maps, MAP_CRYPT, &zero, &c.map);
	err = err ?: key_file_read(t->instance, &c.keys);
	crypt_each(own, other) {
		const __u32 ifindex = c.map.ifindex[own][other];
		struct crypt one = {
			.map = c.map, .hosts = {.row = &row, .n = 1}, .host_keys = &its};

		one.keys = c.keys;
		if (!err && ifindex && !key_is_none(old->key[other]) &&
		    !key_equal(old->key[other], keys->key[other]))
			err = wg_del_peer(ifindex, old->key[other]);
		if (!err && crypt_wants_peer(&one, own, other, 0, &peer))
			err = ifindex ? put_peer(ifindex, key_equal(old->key[other], peer.key),
						 &peer)
				      : -EAGAIN;
		own_keys_wipe(&one.keys);
	}
	/* On an error repairs all: the device may be missing, or new for this host. */
	return err ? crypt_mend(t) : 0;
}

int crypt_begin_rekey(struct tsw *t)
{
	cleanup_crypt struct crypt c = {};
	int err = crypt_read(t, &c);

	err = err ?: add_key(t, &c, !own_keys_newest(&c.keys));
	return err ?: mend(t, &c);
}

int crypt_use_newest(struct tsw *t)
{
	cleanup_crypt struct crypt c = {};
	int err = crypt_read(t, &c);

	if (err)
		return err;
	c.keys.used = c.keys.n - 1;
	err = key_file_write(t->instance, &c.keys);
	return err ?: mend(t, &c);
}
