// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/key.h"
#include "base/text.h"
#include "record/host_keys.h"
#include "wire/crypt.h"

static const __u32 zero;

/*
 * Seconds. Keepalives keep a session alive before it carries frames. A missing handshake then shows
 * that a host does not answer, also while there is no traffic.
 */
enum { KEEPALIVE = 25 };

bool crypt_is_on(const struct tsw *t)
{
	return t->config.flags & TSW_CFG_ENCRYPT;
}

bool crypt_awaits(const struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	bool awaits = false;
	size_t i;

	if (!crypt_is_on(t) || map_rows(&t->maps, MAP_HOSTS, &rows))
		return false;
	for (i = 0; i < rows.n; i++)
		awaits |= ((const struct tsw_host *)row_value(&rows, i))->flags & TSW_HOST_COMING;
	return awaits;
}

__u32 crypt_port(const struct tsw *t)
{
	struct tsw_crypt crypt;

	return crypt_is_on(t) && !map_get(&t->maps, MAP_CRYPT, &zero, &crypt) ? crypt.port : 0;
}

bool crypt_has_port(const struct tsw *t, __u32 port)
{
	const __u32 first = crypt_port(t);

	return first && port >= first &&
	       port <= TSW_CRYPT_PORT_OF(first, TSW_CRYPT_PARITIES - 1, TSW_CRYPT_PARITIES - 1);
}

int crypt_own_keys(const struct tsw *t, struct tsw_key_list *list)
{
	cleanup_keys struct own_keys keys = {};
	int err = crypt_is_on(t) ? key_file_read(t->instance, &keys) : 0;

	for (list->n = 0; list->n < keys.n; list->n++)
		memcpy(list->at[list->n].octet, keys.at[list->n].public, TSW_CRYPT_KEY);
	return err == -ENOENT ? 0 : err;
}

static int read_hosts(const struct tsw *t, struct crypt *c)
{
	size_t i;
	int err = hosts_read(t, &c->hosts);

	if (err)
		return err;
	c->host_keys = calloc(c->hosts.n + 1, sizeof(*c->host_keys));
	if (!c->host_keys)
		return fail_memory();
	for (i = 0; !err && i < c->hosts.n; i++)
		err = host_keys_get(t, c->hosts.row[i].id, &c->host_keys[i]);
	return err;
}

/* Skips devices that are gone, or whose index another device has now. */
static int read_devices(const struct tsw *t, struct crypt *c)
{
	unsigned int own, other;
	int err = 0;

	crypt_each(own, other) {
		const __u32 ifindex = c->map.ifindex[own][other];

		if (!err && wg_is_of(ifindex, t->instance))
			err = wg_get(ifindex, &c->device[own][other]);
	}
	return err;
}

int crypt_read(const struct tsw *t, struct crypt *c)
{
	int err;

	*c = (struct crypt){.now = (__u64)time(NULL)};
	err = map_get(&t->maps, MAP_CRYPT, &zero, &c->map);
	err = err ?: key_file_read(t->instance, &c->keys);
	if (err == -ENOENT)
		err = 0;
	err = err ?: read_hosts(t, c);
	return err ?: read_devices(t, c);
}

void crypt_free(struct crypt *c)
{
	unsigned int own, other;

	own_keys_wipe(&c->keys);
	hosts_free(&c->hosts);
	free(c->host_keys);
	crypt_each(own, other)
		wg_free(&c->device[own][other]);
	*c = (struct crypt){};
}

/* ---- the wanted state ------------------------------------------------------------- */

/* Each own key has at least one device, from which its public key can be read. */
bool crypt_wants_device(const struct crypt *c, unsigned int own, unsigned int other)
{
	size_t i;

	if (!own_key_of(&c->keys, own))
		return false;
	for (i = 0; other && i < c->hosts.n; i++)
		if (!key_is_none(c->host_keys[i].key[other]))
			return true;
	return !other;
}

/* Was one of the two keys replaced? Then the pair only still receives. */
static bool is_old(const struct crypt *c, unsigned int own, unsigned int other,
		   const struct tsw_host *host)
{
	if (own != own_keys_used(&c->keys) && own != own_keys_newest(&c->keys))
		return true;
	return other != host_keys_used(host) && !(host->flags & TSW_HOST_COMING);
}

bool crypt_wants_peer(const struct crypt *c, unsigned int own, unsigned int other, size_t i,
		      struct wg_peer *peer)
{
	const struct tsw_host *host = &c->hosts.row[i].host;
	const __u8 *key = c->host_keys[i].key[other];

	*peer = (struct wg_peer){
		.endpoint = host->addr[host->family & 1],
		.port = (__u16)TSW_CRYPT_PORT_OF(c->map.port, other, own),
		.keepalive = is_old(c, own, other, host) ? 0 : KEEPALIVE,
		.allowed = {host->addr[TSW_IPV4], host->addr[TSW_IPV6]},
	};
	memcpy(peer->key, key, TSW_CRYPT_KEY);
	return !key_is_none(key) && own_key_of(&c->keys, own);
}

bool crypt_peer_fits(const struct wg_peer *have, const struct wg_peer *want,
		     const struct tsw_host *host)
{
	const bool known = addr_equal(&have->endpoint, &host->addr[TSW_IPV4]) ||
			   addr_equal(&have->endpoint, &host->addr[TSW_IPV6]);

	return known && !addr_is_none(&have->endpoint) && have->port == want->port && !have->odd &&
	       have->keepalive == want->keepalive &&
	       !memcmp(have->allowed, want->allowed, sizeof(have->allowed));
}

/* ---- handshakes ------------------------------------------------------------------- */

static __u64 shaken(const struct crypt *c, unsigned int own, unsigned int other, size_t i)
{
	const struct wg_peer *peer = wg_find(&c->device[own][other], c->host_keys[i].key[other]);

	return peer ? peer->handshake : 0;
}

static __u64 later(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

__u64 crypt_handshake(const struct crypt *c, unsigned int own, size_t i)
{
	return later(shaken(c, own, 0, i), shaken(c, own, 1, i));
}

__u64 crypt_handshake_by(const struct crypt *c, unsigned int other, size_t i)
{
	return later(shaken(c, 0, other, i), shaken(c, 1, other, i));
}

bool crypt_is_idle(const struct crypt *c)
{
	const unsigned int newest = own_keys_newest(&c->keys);
	__u64 by_new, by_old;
	size_t i;

	if (c->keys.n != TSW_CRYPT_PARITIES || own_keys_used(&c->keys) != newest)
		return false;
	for (i = 0; i < c->hosts.n; i++) {
		by_new = crypt_handshake(c, newest, i);
		by_old = crypt_handshake(c, !newest, i);
		if (host_has_key(&c->host_keys[i]) &&
		    (by_new <= by_old || c->now < by_old + CRYPT_IDLE))
			return false;
	}
	return true;
}

__u64 crypt_traffic(const struct crypt *c, size_t i, __u64 *rx, __u64 *tx)
{
	unsigned int own, other;

	*rx = *tx = 0;
	crypt_each(own, other) {
		const struct wg_peer *peer =
			wg_find(&c->device[own][other], c->host_keys[i].key[other]);

		*rx += peer ? peer->rx : 0;
		*tx += peer ? peer->tx : 0;
	}
	return later(crypt_handshake(c, 0, i), crypt_handshake(c, 1, i));
}
