// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/problem.h"
#include "base/text.h"
#include "door/snat_proxy.h"
#include "object/snat.h"
#include "record/gateway_find.h"

/*
 * The source address of the gateway's flows on this host; NULL: none of this family. Where each
 * host serves its own endpoints, all hosts use it.
 */
static const struct tsw_addr *source(const struct tsw_gateway *gw, int family)
{
	return gw && gateway_is_served(gw) && gw->flags & TSW_GATEWAY_NAT &&
			       !addr_is_none(&gw->snat[family])
		       ? &gw->snat[family]
		       : NULL;
}

const struct tsw_addr *snat_answered(const struct tsw_gateway *gw, int family)
{
	return gw && gw->n_ranks ? source(gw, family) : NULL;
}

bool snat_is_left(const struct tsw_snat *snat)
{
	return snat->state & TSW_SNAT_LEFT && clock_kernel_ns() < snat->heard + TSW_SNAT_FORGET;
}

static bool is_same(const struct tsw_addr *a, const struct tsw_addr *b)
{
	return a && b ? addr_equal(a, b) : a == b;
}

static int begin(struct tsw *t, const struct tsw_addr *addr)
{
	struct tsw_snat snat = {};
	struct link link;
	int err = map_get(&t->maps, MAP_SNATS, addr, &snat);

	if (err && err != -ENOENT)
		return err;
	if (!snat.gateways++) {
		snat.since = clock_kernel_ns();
		snat.ifindex = snat_proxy_device(addr, &link) ? 0 : link.ifindex;
	}
	err = map_put(&t->maps, MAP_SNATS, addr, &snat);
	if (err || snat.gateways > 1 || !snat.ifindex)
		return err;
	snat_proxy_announce(t, addr, &link);
	return addr_is_v4(addr) ? 0 : snat_proxy_mend(t);
}

static int end(struct tsw *t, const struct tsw_addr *addr)
{
	struct tsw_snat snat;
	int err = map_get(&t->maps, MAP_SNATS, addr, &snat);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (--snat.gateways)
		return map_put(&t->maps, MAP_SNATS, addr, &snat);
	err = map_del(&t->maps, MAP_SNATS, addr);
	return err || addr_is_v4(addr) ? err : snat_proxy_mend(t);
}

static int put_users(struct tsw *t, const struct tsw_addr *addr, __u32 n)
{
	return n ? map_put(&t->maps, MAP_SNAT_USERS, addr, &n)
		 : map_del(&t->maps, MAP_SNAT_USERS, addr);
}

/* Adds MORE to the number of gateways that use this source address, which may be NULL. */
static int add_user(struct tsw *t, const struct tsw_addr *addr, int more)
{
	__u32 n = 0;
	int err = addr ? map_get(&t->maps, MAP_SNAT_USERS, addr, &n) : -ENOENT;

	if (err == -ENOENT && (!addr || more < 0))
		return 0;
	if (err && err != -ENOENT)
		return err;
	return put_users(t, addr, n + more);
}

static int follow_users(struct tsw *t, const struct tsw_addr *was, const struct tsw_addr *is)
{
	int err = is_same(was, is) ? 0 : add_user(t, was, -1);

	return err || is_same(was, is) ? err : add_user(t, is, 1);
}

static int follow_answered(struct tsw *t, const struct tsw_addr *was, const struct tsw_addr *is)
{
	int err = was && !is_same(was, is) ? end(t, was) : 0;

	return !err && is && !is_same(was, is) ? begin(t, is) : err;
}

int snat_follow(struct tsw *t, const struct tsw_gateway *old, const struct tsw_gateway *want)
{
	int err = 0, family;

	for (family = 0; !err && family < TSW_FAMILIES; family++) {
		err = follow_users(t, source(old, family), source(want, family));
		err = err
			      ?: follow_answered(t, snat_answered(old, family),
						 snat_answered(want, family));
	}
	return err;
}

/* ---- counted from the gateways ---------------------------------------------------- */

/* Addresses, sorted, each with the number of gateways that have it. */
struct counted {
	struct address {
		struct tsw_addr addr;
		__u32 gateways;
	} * all;
	size_t n;
};

static void counted_free(struct counted *c)
{
	free(c->all);
}

#define cleanup_counted __attribute__((cleanup(counted_free)))

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tsw_addr));
}

typedef const struct tsw_addr *choice(const struct tsw_gateway *gw, int family);

static int count(const struct rows *gateways, choice *choose, struct counted *c)
{
	const struct tsw_addr *addr;
	size_t i, n = 0;
	int family;

	c->all = calloc(TSW_FAMILIES * gateways->n + 1, sizeof(*c->all));
	if (!c->all)
		return fail_memory();
	for (i = 0; i < gateways->n; i++) {
		for (family = 0; family < TSW_FAMILIES; family++) {
			addr = choose(row_value(gateways, i), family);
			if (addr)
				c->all[n++] = (struct address){*addr, 1};
		}
	}
	qsort(c->all, n, sizeof(*c->all), compare);
	for (i = 0; i < n; i++) {
		if (c->n && addr_equal(&c->all[c->n - 1].addr, &c->all[i].addr))
			c->all[c->n - 1].gateways++;
		else
			c->all[c->n++] = c->all[i];
	}
	return 0;
}

/* The number of gateways that have the address. */
static __u32 times(const struct counted *c, const struct tsw_addr *addr)
{
	const struct address *at = bsearch(addr, c->all, c->n, sizeof(*c->all), compare);

	return at ? at->gateways : 0;
}

/* Writes that N gateways have the address. */
static int settle_one(struct tsw *t, const struct tsw_addr *addr, __u32 n)
{
	struct tsw_snat snat = {.since = clock_kernel_ns()};
	int err = map_get(&t->maps, MAP_SNATS, addr, &snat);

	if (err && err != -ENOENT)
		return err;
	if (snat.gateways == n)
		return 0;
	snat.gateways = n;
	return n ? map_put(&t->maps, MAP_SNATS, addr, &snat) : map_del(&t->maps, MAP_SNATS, addr);
}

static int settle_users(struct tsw *t, const struct rows *gateways)
{
	cleanup_rows struct rows users = {};
	cleanup_counted struct counted c = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_SNAT_USERS, &users);

	err = err ?: count(gateways, source, &c);
	for (i = 0; !err && i < users.n; i++)
		err = put_users(t, row_key(&users, i), times(&c, row_key(&users, i)));
	for (i = 0; !err && i < c.n; i++)
		err = put_users(t, &c.all[i].addr, c.all[i].gateways);
	return err;
}

int snats_settle(struct tsw *t)
{
	cleanup_rows struct rows gateways = {}, snats = {};
	cleanup_counted struct counted c = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_GATEWAYS, &gateways);

	err = err ?: map_rows(&t->maps, MAP_SNATS, &snats);
	err = err ?: settle_users(t, &gateways);
	err = err ?: count(&gateways, snat_answered, &c);
	for (i = 0; !err && i < snats.n; i++)
		err = settle_one(t, row_key(&snats, i), times(&c, row_key(&snats, i)));
	for (i = 0; !err && i < c.n; i++)
		err = settle_one(t, &c.all[i].addr, c.all[i].gateways);
	return err ?: snat_proxy_mend(t);
}

/* Answers to an address come to one host, so two hosts must not use it. */
static void warn_split(struct tsw *t, const struct tsw_gateway *gw, json_t *warnings)
{
	struct tsw_snat snat;
	struct tsw_host host;
	int family;

	for (family = 0; gw->host && family < TSW_FAMILIES; family++)
		if (!addr_is_none(&gw->snat[family]) &&
		    !map_get(&t->maps, MAP_SNATS, &gw->snat[family], &snat) &&
		    !map_get(&t->maps, MAP_HOSTS, &gw->host, &host))
			problem(warnings, "snat_split", addr_text(&gw->snat[family]),
				"both this host and host %s use this source address: answers come "
				"to one of them",
				quoted(host.name));
}

/* The number of users decides how the ports of an address are shared out. */
static int check_users(struct tsw *t, const struct rows *gateways, json_t *problems)
{
	cleanup_rows struct rows users = {};
	cleanup_counted struct counted c = {};
	__u32 n;
	size_t i;
	int err = map_rows(&t->maps, MAP_SNAT_USERS, &users);

	err = err ?: count(gateways, source, &c);
	for (i = 0; !err && i < users.n; i++)
		if (!times(&c, row_key(&users, i)))
			problem(problems, "snat_count", addr_text(row_key(&users, i)),
				"users of this source address are counted, but no gateway uses it");
	for (i = 0; !err && i < c.n; i++) {
		n = 0;
		map_get(&t->maps, MAP_SNAT_USERS, &c.all[i].addr, &n);
		if (n != c.all[i].gateways)
			problem(problems, "snat_count", addr_text(&c.all[i].addr),
				"%u gateways on this host use this source address, but %u are "
				"counted",
				c.all[i].gateways, n);
	}
	return err;
}

int snats_check(struct tsw *t, const struct rows *gateways, json_t *problems, json_t *warnings)
{
	cleanup_rows struct rows snats = {};
	cleanup_counted struct counted c = {};
	struct tsw_snat snat;
	size_t i;
	int err = map_rows(&t->maps, MAP_SNATS, &snats);

	err = err ?: count(gateways, snat_answered, &c);
	for (i = 0; !err && i < snats.n; i++)
		if (!times(&c, row_key(&snats, i)))
			problem(problems, "snat_count", addr_text(row_key(&snats, i)),
				"this host answers for the address, but serves no gateway with it");
	for (i = 0; !err && i < c.n; i++) {
		const char *addr = addr_text(&c.all[i].addr);

		snat = (struct tsw_snat){};
		map_get(&t->maps, MAP_SNATS, &c.all[i].addr, &snat);
		if (snat.gateways && snat_is_left(&snat))
			problem(warnings, "snat_left", addr,
				"another host claims the address, and this host hears too few of "
				"the gateway's hosts: it leaves the address to the other one");
		if (snat.gateways != c.all[i].gateways)
			problem(problems, "snat_count", addr,
				"this host serves %u gateways with the address, but %u are counted",
				c.all[i].gateways, snat.gateways);
	}
	for (i = 0; !err && i < gateways->n; i++)
		warn_split(t, row_value(gateways, i), warnings);
	err = err ?: check_users(t, gateways, problems);
	return err ?: snat_proxy_check(t, problems);
}
