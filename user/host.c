// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "err.h"
#include "host.h"
#include "settle.h"
#include "text.h"

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
	if (!err)
		err = map_get(&t->maps, MAP_HOSTS, id, host);
	if (!err && strcmp(host->name, name->s))
		err = -ENOENT;
	return err;
}

int host_find(const struct tsw *t, const struct tsw_name *name, __u32 *id, struct tsw_host *host)
{
	int err = lookup(t, name, id, host);

	if (err != -ENOENT)
		return err;
	if (!strcmp(name->s, t->config.name))
		return fail(EINVAL, "%s is this host: endpoints here have a dev", quoted(name->s));
	return fail(ENOENT, "there is no host %s", quoted(name->s));
}

static int check(const struct tsw *t, const struct tsw_name *name, const struct tsw_addr *addr)
{
	struct tsw_host other;
	__u32 id;
	int err;

	if (!addr_is_v4(addr))
		return fail(EOPNOTSUPP, "%s: this version's underlay is IPv4 only",
			    quoted(addr_text(addr)));
	if (!strcmp(name->s, t->config.name))
		return fail(EINVAL, "%s is this host's own name", quoted(name->s));
	if (addr_equal(addr, &t->config.local))
		return fail(EINVAL, "%s is this host's own address", addr_text(addr));
	err = map_get(&t->maps, MAP_VTEPS, addr, &id);
	if (err == -ENOENT)
		return 0;
	if (!err)
		err = map_get(&t->maps, MAP_HOSTS, &id, &other);
	if (err == -ENOENT || (!err && !strcmp(other.name, name->s)))
		return 0;
	return err ? err
		   : fail(EEXIST, "%s is already host %s", addr_text(addr), quoted(other.name));
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

/* Its own entry is the last but for the name: killed before, `del` can be given again. */
static int purge(struct tsw *t, __u32 id, const struct tsw_name *name, const struct tsw_addr *addr)
{
	int err = map_del(&t->maps, MAP_VTEPS, addr);

	if (!err)
		err = map_del(&t->maps, MAP_HOST_STATS, &id);
	if (!err)
		err = map_del(&t->maps, MAP_HOSTS, &id);
	if (err)
		return settle_failure(t);
	if (map_del(&t->maps, MAP_HOST_IDS, name)) /* it leads nowhere now */
		t->torn = true;
	return 0;
}

/* Its own entry is last: until then no endpoint can live there, so no frame is let in. */
static int make(struct tsw *t, __u32 id, const struct tsw_name *name, const struct tsw_addr *addr)
{
	struct tsw_host host = {.addr = *addr};
	int err = map_put(&t->maps, MAP_HOST_IDS, name, &id);

	memcpy(host.name, name->s, sizeof(host.name));
	if (!err)
		err = map_zero(&t->maps, MAP_HOST_STATS, &id);
	if (!err)
		err = map_put(&t->maps, MAP_VTEPS, addr, &id);
	if (!err)
		err = map_put(&t->maps, MAP_HOSTS, &id, &host);
	return err;
}

int host_add(struct tsw *t, const struct tsw_name *name, const struct tsw_addr *addr)
{
	struct failure why;
	struct tsw_host old;
	__u32 id;
	int err = lookup(t, name, &id, &old);

	if (!err)
		return fail(EEXIST, "host %s exists, with ip %s", quoted(name->s),
			    addr_text(&old.addr));
	if (err == -ENOENT)
		err = check(t, name, addr);
	if (!err)
		err = free_index(t, &id);
	if (err)
		return err;
	err = make(t, id, name, addr);
	if (err) {
		why = *failure();
		purge(t, id, name, addr);
		return fail_again(&why);
	}
	t->totals.hosts++;
	return 0;
}

/* The new address is let in before the host is reached there, the old one until after. */
static int move(struct tsw *t, __u32 id, const struct tsw_host *old, const struct tsw_addr *addr)
{
	struct tsw_host host = *old;
	struct failure why;
	int err;

	if (addr_equal(&old->addr, addr))
		return 0;
	host.addr = *addr;
	err = map_put(&t->maps, MAP_VTEPS, addr, &id);
	if (!err)
		err = map_put(&t->maps, MAP_HOSTS, &id, &host);
	if (!err) {
		if (map_del(&t->maps, MAP_VTEPS, &old->addr)) /* it is not the host's now */
			t->torn = true;
		return 0;
	}
	why = *failure();
	map_del(&t->maps, MAP_VTEPS, addr);
	return fail_again(&why);
}

int host_set(struct tsw *t, const struct tsw_name *name, const struct tsw_addr *addr)
{
	struct tsw_host old;
	__u32 id;
	int err = host_find(t, name, &id, &old);

	if (!err)
		err = check(t, name, addr);
	return err ? err : move(t, id, &old, addr);
}

int host_replace(struct tsw *t, const struct tsw_name *name, const struct tsw_addr *addr)
{
	struct tsw_host old;
	__u32 id;
	int err = lookup(t, name, &id, &old);

	if (err == -ENOENT)
		return host_add(t, name, addr);
	return err ? err : host_set(t, name, addr);
}

int host_del(struct tsw *t, const struct tsw_name *name)
{
	struct tsw_host host;
	__u32 id;
	int err = host_find(t, name, &id, &host);

	if (err)
		return err;
	if (host.endpoints)
		return fail(EBUSY, "the host still has endpoints, %u: delete or move them first",
			    host.endpoints);
	err = purge(t, id, name, &host.addr);
	if (!err && t->totals.hosts)
		t->totals.hosts--;
	return err;
}

int host_count(struct tsw *t, __u32 id, int more)
{
	int err;

	if (t->counted_host.id != id) {
		err = host_flush(t);
		if (!err)
			err = map_get(&t->maps, MAP_HOSTS, &id, &t->counted_host.host);
		if (err)
			return err == -ENOENT ? 0 : err;
		t->counted_host.id = id;
	}
	t->counted_host.host.endpoints += (__u32)more;
	return 0;
}

int host_flush(struct tsw *t)
{
	__u32 id = t->counted_host.id;

	t->counted_host.id = 0;
	return id ? map_put(&t->maps, MAP_HOSTS, &id, &t->counted_host.host) : 0;
}
