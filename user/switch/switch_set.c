// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "door/door.h"
#include "door/nat_ports.h"
#include "object/host.h"
#include "record/host_keys.h"
#include "store/attach.h"
#include "store/closed.h"
#include "store/config.h"
#include "switch/settings.h"
#include "switch/switch.h"
#include "wire/crypt.h"
#include "wire/slowpath.h"
#include "wire/underlay.h"

static const __u32 zero;

/* Words that change which UDP and TCP ports the switch uses. */
#define PORTS (FIELD(SWITCH_NAT_PORTS) | FIELD(SWITCH_ENCRYPT) | FIELD(SWITCH_WG_PORT))

/* Words that change no device of the underlay. */
#define NO_DEVICE (FIELD(SWITCH_ZONE) | FIELD(SWITCH_NAT_PORTS) | FIELD(SWITCH_CLOSED))

/*
 * Appends devices that are not on the new list, marked as leaving. So the configuration always
 * lists each device that has our programs, and a kill loses none.
 */
static int add_leaving(const struct tsw_config *old, struct tsw_config *want)
{
	unsigned int n = underlay_count(old), to = underlay_count(want), i;
	struct tsw_underlay *kept;

	for (i = 0; i < n; i++) {
		kept = underlay_find(want, old->underlay[i].ifindex);
		if (kept) {
			kept->flags |= old->underlay[i].flags & TSW_UNDERLAY_QDISC;
			continue;
		}
		if (to == TSW_UNDERLAYS)
			return fail(ENOSPC,
				    "old and new devices together are more than %d: change them in "
				    "two steps",
				    TSW_UNDERLAYS);
		want->underlay[to] = old->underlay[i];
		want->underlay[to++].flags |= TSW_UNDERLAY_LEAVING;
	}
	return 0;
}

static int choose_xdp(struct tsw_config *want)
{
	unsigned int n = underlay_staying(want), i;
	struct link dev;
	int err;

	for (i = 0; i < n; i++) {
		err = link_by_index(want->underlay[i].ifindex, &dev);
		if (!err)
			err = underlay_choose_xdp(want, &dev, &want->underlay[i]);
		else if (err == -ENODEV)
			want->underlay[i].xdp = TSW_XDP_OFF;
		if (err && err != -ENODEV)
			return err;
	}
	return 0;
}

static int check_locals(const struct tsw *t, const struct tsw_switch_spec *w)
{
	struct tsw_host host;
	int err, family;
	__u32 id;

	for (family = 0; family < TSW_FAMILIES; family++) {
		if (addr_is_none(&w->local.of[family]))
			continue;
		err = map_get(&t->maps, MAP_VTEPS, &w->local.of[family], &id);
		err = err ?: map_get(&t->maps, MAP_HOSTS, &id, &host);
		if (!err)
			return fail(EEXIST, "%s is already host %s",
				    quoted(addr_text(&w->local.of[family])), quoted(host.name));
		if (err != -ENOENT)
			return err;
	}
	return 0;
}

/* With encryption each host needs a key, except with `mixed`. */
static int check_keys(const struct tsw *t, const struct tsw_config *want,
		      const struct tsw_crypt *crypt)
{
	cleanup_rows struct rows rows = {};
	struct tsw_host_keys keys;
	size_t i;
	int err = map_rows(&t->maps, MAP_HOSTS, &rows);

	if (err || !(want->flags & TSW_CFG_ENCRYPT) || crypt->flags & TSW_CRYPT_MIXED)
		return err;
	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_host *host = row_value(&rows, i);

		err = host_keys_get(t, *(const __u32 *)row_key(&rows, i), &keys);
		if (!err && !host_has_key(&keys))
			return fail(ENOKEY,
				    "host %s has no key: run tsw host set %s key KEY with the key "
				    "of its `switch show`, or give encrypt wireguard,mixed",
				    quoted(host->name), escaped(host->name));
	}
	return err;
}

static int read_encrypt(struct tsw *t, const struct tsw_switch_spec *w, struct tsw_config *want,
			struct tsw_crypt *crypt)
{
	int err = map_get(&t->maps, MAP_CRYPT, &zero, crypt);

	if (err)
		return err;
	if (!crypt->port)
		crypt->port = TSW_CRYPT_PORT;
	settings_encrypt(w, want, crypt);
	err = settings_check_encrypt(want);
	return err ?: check_keys(t, want, crypt);
}

/* Refuses ports that published ports use. */
static int check_ports(const struct tsw *t, const struct tsw_switch_spec *w,
		       const struct tsw_config *want, const struct tsw_crypt *crypt)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = w->given & PORTS ? settings_check_ports(want, crypt) : 0;

	if (!err && w->given & PORTS)
		err = map_rows(&t->maps, MAP_PUBLISH, &rows);
	for (i = 0; !err && i < rows.n; i++)
		err = settings_check_published(want, crypt, row_key(&rows, i));
	return err;
}

/* WANT becomes the present configuration with the changes of W. */
static int read_want(struct tsw *t, const struct tsw_switch_spec *w, struct tsw_config *want,
		     struct tsw_crypt *crypt)
{
	int err;

	*want = t->config;
	if (w->given & FIELD(SWITCH_XDP))
		want->xdp_asked = xdp_asked(w);
	if (w->given & FIELD(SWITCH_ZONE))
		memcpy(want->zone, w->zone.s, sizeof(want->zone));
	if (w->given & FIELD(SWITCH_NAT_PORTS)) {
		want->nat_asked_low = (__u16)w->nat_ports.first;
		want->nat_asked_high = (__u16)w->nat_ports.last;
	}
	err = read_encrypt(t, w, want, crypt);
	err = err ?: check_ports(t, w, want, crypt);
	if (!err && w->given & FIELD(SWITCH_DEV)) {
		err = underlay_read_devs(t, w, want);
		err = err ?: add_leaving(&t->config, want);
		underlay_note_kinds(want);
	} else if (!err && w->given & (FIELD(SWITCH_XDP) | FIELD(SWITCH_ENCRYPT))) {
		err = choose_xdp(want);
	}
	if (w->given & FIELD(SWITCH_LOCAL))
		want->flags_asked &= ~TSW_ASKED_NO_LOCAL;
	err = err ?: check_locals(t, w);
	return err ?: underlay_read_locals(w, want);
}

/*
 * If encryption is turned on, XDP ends first, because it decapsulates before other programs check.
 * The flag is set before the devices for it exist, so frames are dropped and not sent in the clear.
 */
static int close_first(struct tsw *t, const struct tsw_config *old)
{
	unsigned int n = underlay_count(old), i;
	int err = 0;

	if (old->flags & TSW_CFG_ENCRYPT || !crypt_is_on(t))
		return 0;
	for (i = 0; i < n && !err; i++)
		err = attach_xdp(t, old->underlay[i].ifindex, TSW_XDP_OFF);
	return err ?: crypt_mend_clear(t);
}

/* The devices that encrypt are removed before the configuration clears the flag. */
static int open_last(struct tsw *t, const struct tsw_config *old)
{
	if (crypt_is_on(t) || !(old->flags & TSW_CFG_ENCRYPT))
		return 0;
	return crypt_remove(t);
}

/* Makes all changes that may fail, before anything is removed. */
static int take_new(struct tsw *t, const struct tsw_switch_spec *w, const struct tsw_config *old)
{
	unsigned int n, i;
	int err;

	underlay_note_qdiscs(t);
	err = close_first(t, old);
	err = err ?: open_last(t, old);
	err = err ?: config_put(t);
	err = err ?: crypt_mend(t);
	if (err)
		return err;
	n = underlay_staying(&t->config);
	for (i = 0; i < n && !err; i++)
		err = underlay_attach(t, &t->config.underlay[i]);
	if (!err && w->given & FIELD(SWITCH_LOCAL)) {
		err = slowpath_mend(t);
		err = err ?: config_put(t);
	}
	return err ?: host_choose_all(t);
}

static void drop_device(struct tsw *t, __u32 ifindex, __u32 old)
{
	if (!ifindex || ifindex == old)
		return;
	detach_tc(t, PROG_FROM_TUNNEL, ifindex);
	link_delete(ifindex);
}

static void drop_new(struct tsw *t, const struct tsw_config *old)
{
	unsigned int n = underlay_count(&t->config), i;
	int family;

	for (i = 0; i < n; i++)
		if (!underlay_has(old, t->config.underlay[i].ifindex))
			underlay_detach(t, &t->config.underlay[i]);
	for (family = 0; family < TSW_FAMILIES; family++)
		drop_device(t, t->config.gre[family], old->gre[family]);
	drop_device(t, t->config.geneve, old->geneve);
}

static int put_crypt(const struct tsw *t, const struct tsw_crypt *crypt)
{
	struct tsw_crypt now;
	int err = map_get(&t->maps, MAP_CRYPT, &zero, &now);

	if (err)
		return err;
	now.flags = crypt->flags;
	now.port = crypt->port;
	return map_put(&t->maps, MAP_CRYPT, &zero, &now);
}

static int undo(struct tsw *t, const struct tsw_config *old, const struct tsw_crypt *crypt)
{
	const struct failure why = *failure();
	int err = 0;

	drop_new(t, old);
	if (!(old->flags & TSW_CFG_ENCRYPT) && crypt_is_on(t))
		err = crypt_remove(t);
	t->config = *old;
	if (put_crypt(t, crypt) || err || underlay_mend(t, true) || crypt_mend(t) ||
	    host_choose_all(t))
		detail(&t->log, "%s", failure()->text);
	return fail_again(&why);
}

/* When encryption is turned off, the key goes. The next time there will be a new one. */
static int forget_key(const struct tsw *t, const struct tsw_config *old)
{
	return !crypt_is_on(t) && old->flags & TSW_CFG_ENCRYPT ? crypt_remove_key(t) : 0;
}

/* Makes WANT and CRYPT of the words W the configuration, or changes nothing. */
static int change(struct tsw *t, const struct tsw_switch_spec *w, const struct tsw_config *want,
		  const struct tsw_crypt *crypt)
{
	const struct tsw_config old = t->config;
	struct tsw_crypt before = {};
	int err = map_get(&t->maps, MAP_CRYPT, &zero, &before);

	if (err)
		return err;
	t->config = *want;
	if (!(w->given & ~NO_DEVICE))
		err = config_put(t);
	else if (put_crypt(t, crypt) || take_new(t, w, &old))
		return undo(t, &old, &before);
	else
		err = underlay_mend(t, true);
	err = err ?: forget_key(t, &old);
	if (!err && w->given & FIELD(SWITCH_CLOSED))
		err = closed_put(t, &w->closed);
	/* The programs of an underlay device also do the work of an uplink's. */
	if (err || !t->config.gateway)
		return err;
	err = door_open(t); /* in a batch it may be open already */
	return err ?: nat_ports_put(t, false);
}

int switch_set(struct tsw *t, const struct tsw_switch_spec *w)
{
	struct tsw_crypt crypt;
	struct tsw_config want;
	int err = read_want(t, w, &want, &crypt);

	return err ?: change(t, w, &want, &crypt);
}

int switch_set_look(struct tsw *t, const struct tsw_switch_spec *w, struct tsw_config *want,
		    struct tsw_crypt *crypt)
{
	int err = config_check_netns(t);

	return err ?: read_want(t, w, want, crypt);
}

int switch_new_locals(const struct tsw *t, struct tsw_config *want)
{
	*want = t->config;
	return want->flags_asked & TSW_ASKED_NO_LOCAL ? underlay_follow_locals(want) : 0;
}

int switch_follow(struct tsw *t)
{
	const struct tsw_switch_spec w = {.given = FIELD(SWITCH_LOCAL)};
	struct tsw_config want;
	struct tsw_crypt crypt;
	int err = switch_new_locals(t, &want), family;

	if (err || !memcmp(want.local, t->config.local, sizeof(want.local)))
		return err;
	for (family = 0; family < TSW_FAMILIES; family++)
		if (!addr_equal(&want.local[family], &t->config.local[family]))
			note(&t->log, "the address %s of this host is gone: the switch uses %s now",
			     addr_text(&t->config.local[family]), addr_text(&want.local[family]));
	err = map_get(&t->maps, MAP_CRYPT, &zero, &crypt);
	return err ?: change(t, &w, &want, &crypt);
}
