// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/key.h"
#include "base/problem.h"
#include "base/text.h"
#include "check/crypt.h"
#include "store/attach.h"
#include "wire/crypt.h"
#include "wire/underlay.h"

/* Reports peers of a device that no host of the switch has. */
static void check_foreign(const struct crypt *c, unsigned int own, unsigned int other,
			  const char *dev, json_t *problems)
{
	const struct wg_device *device = &c->device[own][other];
	struct wg_peer want;
	size_t i, k;

	for (i = 0; i < device->n; i++) {
		for (k = 0; k < c->hosts.n; k++)
			if (crypt_wants_peer(c, own, other, k, &want) &&
			    key_equal(want.key, device->peer[i].key))
				break;
		if (k == c->hosts.n)
			problem(problems, "wireguard_peer", dev,
				"its peer %s is not the key of any host; run switch repair",
				key_text(device->peer[i].key));
	}
}

static void check_peer(const struct crypt *c, const struct wg_peer *have,
		       const struct wg_peer *want, size_t i, const char *dev, json_t *problems)
{
	const struct tsw_host *host = &c->hosts.row[i].host;

	if (!have)
		problem(problems, "wireguard_peer", host->name,
			"%s does not have it as a peer, so no frame reaches it; run switch repair",
			dev);
	else if (!crypt_peer_fits(have, want, host))
		problem(problems, "wireguard_peer", host->name,
			"its peer at %s has wrong addresses, endpoint or keepalive; run switch "
			"repair",
			dev);
}

static void check_peers(const struct crypt *c, unsigned int own, unsigned int other,
			const char *dev, json_t *problems)
{
	struct wg_peer want;
	size_t i;

	for (i = 0; i < c->hosts.n; i++)
		if (crypt_wants_peer(c, own, other, i, &want))
			check_peer(c, wg_find(&c->device[own][other], want.key), &want, i, dev,
				   problems);
	check_foreign(c, own, other, dev, problems);
}

static void check_link(struct tsw *t, const struct link *link, json_t *problems)
{
	static const enum prog progs[] = {PROG_FROM_WIRE, PROG_TO_WIRE};
	const __u32 mtu = underlay_mtu(t);
	size_t i;

	if (!(link->flags & IFF_UP))
		problem(problems, "wireguard_device", link->name,
			"it is down, so no frame reaches other hosts; run switch repair");
	if (mtu && link->mtu != mtu)
		problem(problems, "wireguard_device", link->name,
			"its MTU is %u, but the underlay leaves %u; run switch repair", link->mtu,
			mtu);
	for (i = 0; i < sizeof(progs) / sizeof(progs[0]); i++)
		if (prog_is_pinned(t, progs[i]) && !attached_tc(t, progs[i], link->ifindex))
			problem(problems, "program", link->name, "%s is not attached",
				prog_name(progs[i]));
}

static void check_device(struct tsw *t, const struct crypt *c, unsigned int own, unsigned int other,
			 json_t *problems)
{
	const struct wg_device *device = &c->device[own][other];
	const __u32 port = TSW_CRYPT_PORT_OF(c->map.port, own, other);
	const __u32 ifindex = c->map.ifindex[own][other];
	struct link link;
	char object[16];

	snprintf(object, sizeof(object), "%u", ifindex);
	if (!wg_is_of(ifindex, t->instance) || link_by_index(ifindex, &link)) {
		problem(problems, "wireguard_device", object,
			"this WireGuard device is gone, so no frame reaches other hosts; run switch "
			"repair");
		return;
	}
	check_link(t, &link, problems);
	if (!key_equal(device->key, own_key_of(&c->keys, own)->public))
		problem(problems, "wireguard_device", link.name,
			"its private key is not the switch's; run switch repair");
	if (device->port != port || device->mark)
		problem(problems, "wireguard_device", link.name,
			"it must listen on UDP port %u and send without a mark, but listens on %u; "
			"run switch repair",
			port, device->port);
	check_peers(c, own, other, link.name, problems);
}

/* A peer does not answer although frames were sent. Both sides report it, so it is a warning. */
static void check_handshake(const struct crypt *c, size_t i, json_t *warnings)
{
	const char *name = c->hosts.row[i].host.name;
	__u64 rx, tx, last = crypt_traffic(c, i, &rx, &tx);

	if (c->hosts.row[i].host.flags & TSW_HOST_CLEAR)
		problem(warnings, "no_key", name,
			"it has no key, so frames between it and this host are not encrypted");
	else if (tx && !last)
		problem(warnings, "no_handshake", name,
			"WireGuard has never reached it: is it up with encrypt and the same "
			"wg-port, does it have this host's key, and does UDP get through?");
	else if (tx && c->now > last + CRYPT_LATE)
		problem(warnings, "no_handshake", name,
			"the last handshake was %llu s ago, and one is due every %d s: is it down, "
			"or does it have a new key?",
			(unsigned long long)(c->now - last), CRYPT_LATE);
}

int check_crypt(struct tsw *t, json_t *problems, json_t *warnings)
{
	cleanup_crypt struct crypt c = {};
	unsigned int own, other;
	size_t i;
	int err;

	if (!crypt_is_on(t))
		return 0;
	err = crypt_read(t, &c);
	if (err)
		return err;
	if (!c.keys.n)
		problem(problems, "wireguard_key", t->instance,
			"the file with its private key is gone: restore /var/lib/tsw/%s.key, or "
			"turn encryption off and on for a new key",
			escaped(t->instance));
	if (c.keys.n && c.map.own != own_keys_used(&c.keys))
		problem(problems, "wireguard_key", t->instance,
			"it does not send with the key that its file says; run switch repair");
	crypt_each(own, other)
		if (crypt_wants_device(&c, own, other))
			check_device(t, &c, own, other, problems);
	for (i = 0; i < c.hosts.n; i++)
		check_handshake(&c, i, warnings);
	return 0;
}
