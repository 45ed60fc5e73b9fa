// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/problem.h"
#include "base/text.h"
#include "door/nat_ports.h"
#include "door/ruleset.h"
#include "kernel/process.h"
#include "kernel/sockets.h"
#include "record/gateway_find.h"
#include "record/port_holder.h"
#include "store/config.h"
#include "wire/crypt.h"

#define SETTING "/proc/sys/net/ipv4/ip_local_port_range"

enum { LEAST = 1024, LAST_PORT = 65535 };

/* The ports that the kernel gives to sockets which bind to none. */
static struct tsw_port_range hosts(void)
{
	struct tsw_port_range range = {};
	FILE *f = fopen(SETTING, "re");

	if (f && fscanf(f, "%u %u", &range.first, &range.last) != 2)
		range = (struct tsw_port_range){};
	if (f)
		fclose(f);
	return range;
}

static bool overlap(const struct tsw_port_range *a, const struct tsw_port_range *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* A range below the host's or, if too few ports are left there, above it. */
static struct tsw_port_range beside_hosts(void)
{
	const struct tsw_port_range host_range = hosts();

	if (host_range.first > TSW_NAT_PORT_HIGH)
		return (struct tsw_port_range){TSW_NAT_PORT_LOW, TSW_NAT_PORT_HIGH};
	if (host_range.first >= TSW_NAT_PORT_LOW + LEAST)
		return (struct tsw_port_range){TSW_NAT_PORT_LOW, host_range.first - 1};
	if (host_range.last && host_range.last + LEAST <= LAST_PORT)
		return (struct tsw_port_range){
			host_range.last < TSW_NAT_PORT_LOW ? TSW_NAT_PORT_LOW : host_range.last + 1,
			LAST_PORT};
	return (struct tsw_port_range){TSW_NAT_PORT_LOW, TSW_NAT_PORT_HIGH};
}

struct tsw_port_range nat_ports_without(struct tsw_port_range range, __u32 first, __u32 n)
{
	const struct tsw_port_range out = {first, first + n - 1};
	const __u32 below = first > range.first ? first - range.first : 0;
	const __u32 above = range.last > out.last ? range.last - out.last : 0;

	if (!overlap(&range, &out))
		return range;
	return below > above ? (struct tsw_port_range){range.first, first - 1}
			     : (struct tsw_port_range){out.last + 1, range.last};
}

static struct tsw_port_range choose(const struct tsw *t)
{
	const __u32 wg = crypt_port(t);
	struct tsw_port_range range = nat_ports_without(beside_hosts(), ntohs(t->config.port), 1);

	range = nat_ports_without(range, TSW_GENEVE_PORT, 1);
	return wg ? nat_ports_without(range, wg, TSW_CRYPT_PARITIES * TSW_CRYPT_PARITIES) : range;
}

struct tsw_port_range nat_ports_want(const struct tsw *t)
{
	const struct tsw_port_range asked = {t->config.nat_asked_low, t->config.nat_asked_high};

	return asked.first ? asked : choose(t);
}

struct tsw_port_range nat_ports_now(const struct tsw *t)
{
	const struct tsw_port_range now = {t->config.nat_low, t->config.nat_high};

	return now.first ? now : nat_ports_want(t);
}

bool nat_ports_are_old(const struct tsw *t)
{
	const struct tsw_port_range want = nat_ports_want(t);

	return t->config.nat_low &&
	       (t->config.nat_low != want.first || t->config.nat_high != want.last);
}

void nat_ports_choose(const struct tsw *t)
{
	const struct tsw_port_range want = nat_ports_want(t);

	ruleset_ports(&want);
}

/* Writes nftables first and the configuration last, so that after a kill it is done again. */
int nat_ports_put(struct tsw *t, bool afresh)
{
	const struct tsw_port_range want = nat_ports_want(t);
	int err;

	if (t->config.nat_low == want.first && t->config.nat_high == want.last)
		return 0;
	ruleset_ports(&want);
	err = afresh ? 0 : ruleset_put_ports();
	if (err)
		return err;
	t->config.nat_low = (__u16)want.first;
	t->config.nat_high = (__u16)want.last;
	return config_put(t);
}

/* ---- sockets of the host ---------------------------------------------------------- */

enum { WARNINGS_MOST = 8 };

struct listening {
	const struct tsw *t;
	json_t *problems, *warnings;
	struct tsw_port_range nat;
	unsigned int warned;
	struct heard *all;
	size_t n;
	int err;
};

static bool is_published(const struct tsw *t, const struct heard *h, struct tsw_publish *to)
{
	const struct tsw_publish_key key = {
		.family = h->family, .proto = h->proto, .port = h->port};
	struct tsw_gateway gw;

	return !map_get(&t->maps, MAP_PUBLISH, &key, to) &&
	       !map_get(&t->maps, MAP_GATEWAYS, &to->tenant, &gw) && gateway_is_ready(&gw);
}

/* Does the runtime of the container to which the port leads hold it? */
static bool is_holder(const struct tsw *t, const struct heard *h, const struct tsw_publish *to)
{
	const char *container = port_container(t, to, NULL);

	return *container && process_has_socket(container, h->inode);
}

static const char *proto_text(__u8 proto)
{
	return proto == IPPROTO_UDP ? "udp" : "tcp";
}

/* Several sockets at one port, or one for both families, may be one and the same problem. */
static bool last_is_new(json_t *told)
{
	const size_t n = json_array_size(told);
	size_t i;

	for (i = 0; i + 1 < n; i++)
		if (json_equal(json_array_get(told, i), json_array_get(told, n - 1))) {
			json_array_remove(told, n - 1);
			return false;
		}
	return true;
}

static void judge(struct listening *l, const struct heard *h)
{
	const struct tsw_port_range port = {h->port, h->port};
	struct tsw_publish to;
	char object[32];

	snprintf(object, sizeof(object), "%s %u", proto_text(h->proto), h->port);
	if (is_published(l->t, h, &to) && !is_holder(l->t, h, &to)) {
		problem(l->problems, "published_port", object,
			"a socket of this host listens at %s, but the port is published: %s "
			"packets from outside go to the tenant",
			addr_is_none(&h->at) ? "all addresses" : addr_text(&h->at),
			family_text(h->family));
		last_is_new(l->problems);
	} else if (overlap(&l->nat, &port) && l->warned < WARNINGS_MOST) {
		problem(l->warnings, "nat_port_in_use", object,
			"a socket of this host uses it at %s, but ports %s are reserved for "
			"outgoing NAT; choose others with: switch set nat-ports",
			addr_is_none(&h->at) ? "all addresses" : addr_text(&h->at),
			ports_text(&l->nat));
		l->warned += last_is_new(l->warnings);
	}
}

/* Only keeps it: who holds a port is another question to the kernel. */
static void hear(const struct heard *h, void *data)
{
	struct listening *l = data;

	l->err = l->err ?: list_append(&l->all, &l->n, h, sizeof(*h));
}

static int check_sockets(struct listening *l)
{
	size_t i;
	int err = sockets_each(hear, l);

	err = err ?: l->err;
	for (i = 0; !err && i < l->n; i++)
		judge(l, &l->all[i]);
	free(l->all);
	return err;
}

/*
 * A published port may be in the range if an older version published it, or if the range has
 * changed. Reports only the first one.
 */
static int check_published(const struct tsw *t, const struct tsw_port_range *nat, json_t *problems)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_row_keys(&t->maps, MAP_PUBLISH, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_publish_key *key = row_key(&rows, i);
		const struct tsw_port_range port = {key->port, key->port};

		if (!overlap(nat, &port))
			continue;
		problem(problems, "nat_ports", "tsw-up",
			"ports %s are reserved for outgoing NAT, but port %u is published; choose "
			"others with: switch set nat-ports",
			ports_text(nat), key->port);
		return 0;
	}
	return err;
}

int nat_ports_check(const struct tsw *t, json_t *problems, json_t *warnings)
{
	const struct tsw_port_range now = {t->config.nat_low, t->config.nat_high},
				    host_range = hosts();
	struct listening l = {.t = t, .problems = problems, .warnings = warnings, .nat = now};
	int err;

	if (!now.first)
		return 0;
	if (overlap(&now, &host_range))
		problem(problems, "nat_ports", "tsw-up",
			"ports %s are reserved for outgoing NAT, but the host's own connections "
			"use %u-%u (net.ipv4.ip_local_port_range)",
			ports_text(&now), host_range.first, host_range.last);
	else if (nat_ports_are_old(t))
		problem(problems, "nat_ports", "tsw-up",
			"ports %s are reserved for outgoing NAT, but the host's own ports have "
			"changed since they were chosen",
			ports_text(&now));
	err = check_published(t, &now, problems);
	return err ?: check_sockets(&l);
}
