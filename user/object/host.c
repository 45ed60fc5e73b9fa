// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "kernel/route.h"
#include "object/host.h"
#include "object/host_key.h"
#include "record/host_keys.h"
#include "record/hosts.h"
#include "rules/rules.h"
#include "wire/crypt.h"
#include "wire/mtu.h"

/* When the command ends, the devices that lead to the gateways get their MTU again. */
static void forget_widest(struct tsw *t)
{
	t->widest = WIDEST_UNKNOWN;
	t->unfit = true;
}

static int lookup(const struct tsw *t, const struct tsw_name *name, __u32 *id,
		  struct tsw_host *host)
{
	int err;

	if (t->counted_host.id && !strcmp(t->counted_host.host.name, name->s)) {
		*id = t->counted_host.id;
		*host = t->counted_host.host;
		return 0;
	}
	err = map_get(&t->maps, MAP_HOST_IDS, name, id);
	err = err ?: map_get(&t->maps, MAP_HOSTS, id, host);
	if (!err && strcmp(host->name, name->s))
		err = -ENOENT;
	return err;
}

int host_find(const struct tsw *t, const struct tsw_name *name, __u32 *id, struct tsw_host *host)
{
	int err = lookup(t, name, id, host);

	if (err != -ENOENT)
		return err;
	return rule_no_host(name->s, t->config.name);
}

static struct tsw_name name_of(const struct tsw_host *host)
{
	struct tsw_name name;

	memcpy(name.s, host->name, sizeof(name.s));
	return name;
}

/* Chooses the preferred family, or the other if this host has no address of the preferred one. */
static int choose_family(const struct tsw *t, struct tsw_host *host)
{
	const enum tsw_family other = host->preferred == TSW_IPV4 ? TSW_IPV6 : TSW_IPV4;

	host->family = host->preferred;
	if (!addr_is_none(&t->config.local[host->family]))
		return 0;
	if (!addr_is_none(&host->addr[other]) && !addr_is_none(&t->config.local[other])) {
		host->family = other;
		return 0;
	}
	return fail(EADDRNOTAVAIL,
		    "%s: this switch has no %s underlay address: add one with switch set local IP",
		    quoted(addr_text(&host->addr[host->family])), family_text(host->family));
}

/* A missing route is no error: it may come later, and `switch check` warns about it. */
static int read_mtu(const struct tsw *t, struct tsw_host *host, __u32 told)
{
	const __u32 family = host->family & 1;
	struct route route;
	int err = route_ask(&t->config.local[family], &host->addr[family], &route);

	host->mtu = host_mtu(t, err ? 0 : route.mtu, told);
	return 0;
}

static int choose(const struct tsw *t, struct tsw_host *host, __u32 told)
{
	int err = choose_family(t, host);

	return err ?: read_mtu(t, host, told);
}

static int check_address(const struct tsw *t, const char *name, const struct tsw_addr *addr)
{
	struct tsw_host other;
	__u32 id;
	int err;

	if (addr_is_none(addr))
		return 0;
	if (addr_equal(addr, &t->config.local[addr_family(addr)]))
		return fail(EINVAL, "%s is this host's own address", addr_text(addr));
	err = map_get(&t->maps, MAP_VTEPS, addr, &id);
	if (err == -ENOENT)
		return 0;
	err = err ?: map_get(&t->maps, MAP_HOSTS, &id, &other);
	if (err == -ENOENT || (!err && !strcmp(other.name, name)))
		return 0;
	return err ?: fail(EEXIST, "%s is already host %s", addr_text(addr), quoted(other.name));
}

static int check(const struct tsw *t, const struct tsw_host *want)
{
	int err, family;

	if (!strcmp(want->name, t->config.name))
		return fail(EINVAL, "%s is this host's own name", quoted(want->name));
	for (family = 0; family < TSW_FAMILIES; family++) {
		err = check_address(t, want->name, &want->addr[family]);
		if (err)
			return err;
	}
	return 0;
}

/* Indices come round, so that one is not soon given to another host. */
static int free_index(struct tsw *t, __u32 *id)
{
	struct tsw_host host;
	int err, i;

	for (i = 0; i < TSW_MAX_HOSTS; i++) {
		*id = t->totals.next_host % TSW_MAX_HOSTS + 1;
		t->totals.next_host = *id;
		err = map_get(&t->maps, MAP_HOSTS, id, &host);
		if (err)
			return err == -ENOENT ? 0 : err;
	}
	return fail(ENOSPC, "the switch is full: there can be %d hosts", TSW_MAX_HOSTS);
}

static bool has_address(const struct tsw_host *host, const struct tsw_addr *addr)
{
	return host && addr_equal(&host->addr[addr_family(addr)], addr);
}

/*
 * Admits frames from the addresses of HOST as the host with index ID, or with ID 0 admits them no
 * longer. Leaves out the addresses that OTHER, if not NULL, has too.
 */
static int admit(const struct tsw *t, __u32 id, const struct tsw_host *host,
		 const struct tsw_host *other)
{
	const struct tsw_addr *addr;
	int err = 0, family;

	for (family = 0; !err && family < TSW_FAMILIES; family++) {
		addr = &host->addr[family];
		if (addr_is_none(addr) || has_address(other, addr))
			continue;
		err = id ? map_put(&t->maps, MAP_VTEPS, addr, &id)
			 : map_del(&t->maps, MAP_VTEPS, addr);
	}
	return err;
}

/*
 * The entry of tsw_hosts goes after all except the MTU and the name, so `del` can be repeated after
 * a kill.
 */
static int purge(struct tsw *t, __u32 id, const struct tsw_host *host)
{
	const struct tsw_host_keys none = {};
	const struct tsw_name name = name_of(host);
	struct tsw_host_keys keys;
	int err = host_keys_get(t, id, &keys);

	err = err ?: host_key_put(t, id, &none);
	err = err ?: admit(t, 0, host, NULL);
	err = err ?: map_del(&t->maps, MAP_HOST_STATS, &id);
	err = err ?: map_del(&t->maps, MAP_HOSTS, &id);
	if (err)
		return mark_torn(t);
	if (crypt_put_host(t, &keys, host, &none)) /* nothing is sent to the peer any more */
		t->torn = true;
	if (map_del(&t->maps, MAP_HOST_MTUS, &id))
		t->torn = true;
	if (map_del(&t->maps, MAP_HOST_IDS, &name)) /* the name leads nowhere now */
		t->torn = true;
	return 0;
}

/* Writes the entry of tsw_hosts last: until then no endpoint can live there, so no frame enters. */
static int make(struct tsw *t, __u32 id, const struct tsw_host *host,
		const struct tsw_host_keys *keys, __u32 told_mtu)
{
	const struct tsw_name name = name_of(host);
	int err = map_put(&t->maps, MAP_HOST_IDS, &name, &id);

	err = err ?: map_zero(&t->maps, MAP_HOST_STATS, &id);
	err = err ?: admit(t, id, host, NULL);
	err = err ?: host_key_put(t, id, keys);
	err = err ?: map_store(&t->maps, MAP_HOST_MTUS, &id, &told_mtu);
	err = err ?: map_put(&t->maps, MAP_HOSTS, &id, host);
	return err ?: crypt_put_host(t, keys, host, keys);
}

int host_add(struct tsw *t, const struct tsw_host *want, const struct tsw_key_list *key)
{
	struct tsw_host_keys keys = {};
	const struct tsw_name name = name_of(want);
	struct tsw_host host = *want, old;
	struct failure why;
	__u32 id;
	int err = lookup(t, &name, &id, &old);

	if (!err)
		return rule_host_exists(name.s, &old.addr[old.family]);
	if (err == -ENOENT)
		err = check(t, want);
	err = err ?: choose(t, &host, want->mtu);
	err = err ?: host_key_check(t, &host, key);
	err = err ?: free_index(t, &id);
	if (err)
		return err;
	host_key_plan(t, &host, &keys, key);
	forget_widest(t);
	err = make(t, id, &host, &keys, want->mtu);
	if (err) {
		why = *failure();
		purge(t, id, &host);
		return fail_again(&why);
	}
	t->totals.hosts++;
	return 0;
}

/* The host before the change and after it, with its keys and the MTU of its underlay. */
struct change {
	struct tsw_host old, want;
	struct tsw_host_keys old_keys, keys;
	__u32 old_mtu, mtu;
};

/*
 * Admits new addresses before it sends there, and old ones until it sends elsewhere. A new key is a
 * peer beside the old one before anything is sent with it, see crypt_mend().
 */
static int move(struct tsw *t, __u32 id, const struct change *c)
{
	struct failure why;
	int err;

	forget_widest(t);
	err = admit(t, id, &c->want, &c->old);
	err = err ?: host_key_put(t, id, &c->keys);
	err = err ?: map_store(&t->maps, MAP_HOST_MTUS, &id, &c->mtu);
	err = err ?: map_put(&t->maps, MAP_HOSTS, &id, &c->want);
	err = err ?: crypt_put_host(t, &c->old_keys, &c->want, &c->keys);
	if (!err) {
		if (admit(t, 0, &c->old, &c->want))
			t->torn = true;
		return 0;
	}
	why = *failure();
	if (host_key_put(t, id, &c->old_keys) ||
	    map_store(&t->maps, MAP_HOST_MTUS, &id, &c->old_mtu) ||
	    map_put(&t->maps, MAP_HOSTS, &id, &c->old) ||
	    crypt_put_host(t, &c->keys, &c->old, &c->old_keys))
		t->torn = true;
	admit(t, 0, &c->want, &c->old);
	return fail_again(&why);
}

int host_set(struct tsw *t, const struct tsw_host *want, const struct tsw_key_list *key)
{
	const struct tsw_name name = name_of(want);
	struct change c = {.want = *want, .mtu = want->mtu};
	__u32 id;
	int err = host_find(t, &name, &id, &c.old);

	err = err ?: check(t, want);
	err = err ?: choose(t, &c.want, c.mtu);
	err = err ?: host_keys_get(t, id, &c.old_keys);
	err = err ?: host_mtu_get(t, id, &c.old_mtu);
	if (!err && key)
		err = host_key_check(t, &c.old, key);
	if (err)
		return err;
	c.want.endpoints = c.old.endpoints;
	c.want.flags = c.old.flags;
	c.keys = c.old_keys;
	if (key)
		host_key_plan(t, &c.want, &c.keys, key);
	if (!memcmp(&c.want, &c.old, sizeof(c.want)) && c.mtu == c.old_mtu &&
	    !memcmp(&c.keys, &c.old_keys, sizeof(c.keys)))
		return 0;
	return move(t, id, &c);
}

int host_replace(struct tsw *t, const struct tsw_host *want, const struct tsw_key_list *key)
{
	const struct tsw_name name = name_of(want);
	struct tsw_host old;
	__u32 id;
	int err = lookup(t, &name, &id, &old);

	if (err == -ENOENT)
		return host_add(t, want, key);
	return err ?: host_set(t, want, key);
}

static int put_chosen(struct tsw *t, __u32 id, const struct tsw_host *host)
{
	struct tsw_host_keys keys;
	int err = host_keys_get(t, id, &keys);

	err = err ?: map_put(&t->maps, MAP_HOSTS, &id, host);
	return err ?: crypt_put_host(t, &keys, host, &keys);
}

static int change_all(struct tsw *t,
		      int (*change)(const struct tsw *t, struct tsw_host *host, __u32 told))
{
	cleanup_rows struct rows rows = {};
	struct tsw_host host;
	__u32 id, told;
	size_t i;
	int err = map_rows(&t->maps, MAP_HOSTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		memcpy(&id, row_key(&rows, i), sizeof(id));
		memcpy(&host, row_value(&rows, i), sizeof(host));
		err = host_mtu_get(t, id, &told);
		err = err ?: change(t, &host, told);
		if (!err && memcmp(&host, row_value(&rows, i), sizeof(host)))
			err = put_chosen(t, id, &host);
	}
	return err;
}

int host_choose_all(struct tsw *t)
{
	forget_widest(t);
	return change_all(t, choose);
}

int hosts_settle(struct tsw *t)
{
	return change_all(t, read_mtu);
}

int host_remove(struct tsw *t, __u32 id, const struct tsw_host *host)
{
	int err;

	forget_widest(t);
	err = purge(t, id, host);
	if (!err && t->totals.hosts)
		t->totals.hosts--;
	return err;
}

/* ---- a new key -------------------------------------------------------------------- */

enum { WAIT_MS = 5000, LOOK_MS = 50 };

static bool awaits_handshake(const struct tsw *t, const struct tsw_name *name)
{
	struct tsw_host host;
	__u32 id;

	return !host_find(t, name, &id, &host) && host.flags & TSW_HOST_COMING;
}

int host_await_key(struct tsw *t, const struct tsw_name *name, const struct tsw_key_list *old)
{
	const struct timespec moment = {.tv_nsec = LOOK_MS * 1000000L};
	const __u64 end = clock_ns(CLOCK_MONOTONIC) + WAIT_MS * MS_NS;
	struct tsw_host host;
	__u32 id;
	int err = crypt_mend(t);

	while (!err && awaits_handshake(t, name) && clock_ns(CLOCK_MONOTONIC) < end) {
		nanosleep(&moment, NULL);
		err = crypt_mend(t);
	}
	if (err || !awaits_handshake(t, name))
		return err;
	err = host_find(t, name, &id, &host);
	err = err ?: host_mtu_get(t, id, &host.mtu);
	err = err ?: host_set(t, &host, old);
	if (err)
		return err;
	return fail(ETIMEDOUT,
		    "host %s does not answer by that key, and keeps its old one: is it up, and "
		    "knows this host's key? If its old key is lost: host del, host add",
		    quoted(name->s));
}
