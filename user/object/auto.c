// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "object/auto.h"
#include "record/choice.h"
#include "record/nets.h"
#include "record/prefix_find.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

/* ---- ids -------------------------------------------------------------------------- */

/* -EADDRINUSE without a message: the id is taken, or rests. */
static int try_id(const struct tsw *t, __u32 id)
{
	const struct tsw_addr_key itself = {.tenant = id};
	struct tsw_tenant unused;
	__u64 left;
	int err = map_get(&t->maps, MAP_TENANTS, &id, &unused);

	if (err != -ENOENT)
		return err ?: -EADDRINUSE;
	err = addr_rests(t, &itself, &left);
	return !err && left ? -EADDRINUSE : err;
}

/*
 * All ids up to t->ids_taken are taken or rest, so a batch does not look at them again. An id rests
 * because another host may still have its old tenant, and would give that the new tenant's frames.
 */
static int lowest_free(struct tsw *t, __u32 most, __u32 *id)
{
	int err;

	while (t->ids_taken < most) {
		*id = t->ids_taken + 1;
		err = try_id(t, *id);
		if (err != -EADDRINUSE)
			return err;
		t->ids_taken++;
	}
	return fail(ENOSPC, "no id is free: all ids from 1 to %u are taken, or were a minute ago",
		    most);
}

int auto_id(struct tsw *t, struct tsw_tenant_spec *spec)
{
	const __u32 most = tenant_id_max(spec->encap);
	struct tsw_tenant unused;
	__u32 present;
	int err = tenant_lookup(t, &spec->name, &present, &unused);

	if (err && err != -ENOENT)
		return err;
	if (!err && present <= most)
		spec->id = present;
	else
		err = lowest_free(t, most, &spec->id);
	return err;
}

/* ---- MACs ------------------------------------------------------------------------- */

static int free_mac(const struct tsw *t, __u32 tenant, struct tsw_mac *mac)
{
	const struct tsw_mac gateway = gateway_mac(tenant); /* a later gateway gets this MAC */
	struct tsw_fdb_key key = {.tenant = tenant};
	struct tsw_fdb unused;
	int err;

	do {
		err = choice_mac(mac);
		key.mac = *mac;
		err = err ?: map_get(&t->maps, MAP_FDB, &key, &unused);
	} while (!err || (err == -ENOENT && mac_equal(mac, &gateway)));
	return err == -ENOENT ? 0 : err;
}

/* ---- addresses -------------------------------------------------------------------- */

struct search {
	const struct tsw *t;
	__u32 tenant;
	const struct endpoint *old;	    /* or NULL */
	const struct tsw_addr_list *others; /* addresses that the request names */
	const struct tsw_net *net;
	struct choice of; /* the net's addresses */
	__u32 resting;	  /* number of free addresses that still rest */
	__u64 least;	  /* ns until the first of them has rested */
};

static void begin(struct search *s, const struct tsw_net *net)
{
	s->net = net;
	s->of = choice_of(&net->prefix);
	s->resting = 0;
	s->least = TSW_REST;
}

/*
 * -EADDRINUSE without a message: an endpoint or the gateway has the address, or it rests, or it is
 * in a network behind an endpoint. Then *AT becomes the last address of that network.
 */
static int try(struct search *s, const struct tsw_addr *addr, addr_number *at)
{
	const struct tsw_addr_key key = {.tenant = s->tenant, .addr = *addr};
	struct tsw_addr_owner unused;
	struct tsw_behind behind;
	struct tsw_prefix prefix;
	__u64 left;
	const bool gone = addr_is_service(addr) || addr_list_has(s->others, addr);
	int err = gone ? 0 : map_get(&s->t->maps, MAP_ADDRS, &key, &unused);

	if (err != -ENOENT)
		return err ?: -EADDRINUSE;
	err = prefix_behind(s->t, &key, &behind);
	if (!err) {
		prefix = (struct tsw_prefix){*addr, behind.len};
		prefix.addr = prefix_last(&prefix);
		*at = number_of_addr(&prefix.addr);
	}
	if (err != -ENOENT)
		return err ?: -EADDRINUSE;
	err = addr_rests(s->t, &key, &left);
	if (err || !left)
		return err;
	s->resting++;
	if (left < s->least)
		s->least = left;
	return -EADDRINUSE;
}

static int full(const struct search *s)
{
	const int err = rule_net_full(&s->net->prefix);

	if (s->resting)
		fail_more("; given up in the last %u s: %u, the first is free in %u s",
			  (__u32)(TSW_REST / SECOND_NS), s->resting,
			  (__u32)((s->least + SECOND_NS - 1) / SECOND_NS));
	return err;
}

/*
 * Searches once around the net, beginning after the last address taken. So the address that was
 * given up last is tried last.
 */
static int take(struct search *s, struct tsw_addr *addr)
{
	const addr_number last = number_of_addr(&s->net->last);
	const addr_number start = last >= s->of.first && last < s->of.last ? last + 1 : s->of.first;
	addr_number at = start, from;
	bool around = false;
	int err;

	if (s->old && choice_keeps(&s->of, s->old->ip, s->old->n_ip, s->others, addr))
		return 0;
	do {
		from = at;
		*addr = addr_of_number(at);
		err = try(s, addr, &at);
		around |= from < start && at >= start;
		at = at < s->of.last ? at + 1 : s->of.first;
	} while (err == -EADDRINUSE && at != start && !around);
	return err == -EADDRINUSE ? full(s) : err;
}

static int take_all(const struct tsw *t, __u32 tenant, const struct endpoint *old,
		    const struct tsw_vip_list *vips, struct tsw_addr_list *ip)
{
	const struct tsw_addr_list others = vips_with(vips, ip);
	struct search s = {.t = t, .tenant = tenant, .old = old, .others = &others};
	struct tsw_addr took[TSW_NETS];
	struct tsw_nets nets;
	__u32 i;
	int err = nets_load(t, tenant, &nets);

	if (!err && !nets.n)
		err = rule_no_net(tenant_name_of(t, tenant).s, "");
	err = err ?: rule_addresses(ip->n + nets.n);
	for (i = 0; !err && i < nets.n; i++) {
		begin(&s, &nets.at[i]);
		err = take(&s, &took[i]);
	}
	if (err)
		return err;
	memmove(ip->at + nets.n, ip->at, ip->n * sizeof(ip->at[0]));
	memcpy(ip->at, took, nets.n * sizeof(ip->at[0]));
	ip->n += nets.n;
	return 0;
}

int auto_endpoint(const struct tsw *t, __u32 tenant, const struct endpoint *old,
		  struct tsw_endpoint_spec *spec)
{
	int err = 0;

	if (spec->automatic & TSW_AUTO_MAC && old)
		spec->mac = old->mac;
	else if (spec->automatic & TSW_AUTO_MAC)
		err = free_mac(t, tenant, &spec->mac);
	return !err && spec->automatic & TSW_AUTO_IP
		       ? take_all(t, tenant, old, &spec->vip, &spec->ip)
		       : err;
}

/* An error is ignored: without the note the next search only takes longer. */
void auto_endpoint_done(const struct tsw *t, __u32 tenant, const struct endpoint *old,
			const struct tsw_endpoint_spec *spec)
{
	struct tsw_nets nets;
	bool moved = false;
	__u32 i;

	if (!(spec->automatic & TSW_AUTO_IP) || nets_load(t, tenant, &nets))
		return;
	for (i = 0; i < nets.n; i++) {
		if (old && endpoint_has_ip(old, &spec->ip.at[i]))
			continue;
		nets.at[i].last = spec->ip.at[i];
		moved = true;
	}
	if (moved)
		map_put(&t->maps, MAP_NETS, &tenant, &nets);
}

static struct tsw_net *net_of(struct tsw_nets *nets, const struct tsw_prefix *prefix)
{
	__u32 i;

	for (i = 0; i < nets->n; i++)
		if (!memcmp(&nets->at[i].prefix, prefix, sizeof(*prefix)))
			return &nets->at[i];
	return NULL;
}

int auto_reserve(const struct tsw *t, __u32 tenant, const struct tsw_prefix *net,
		 struct tsw_addr *addr)
{
	const bool chosen = addr_is_none(addr);
	struct tsw_addr_list none = {};
	struct search s = {.t = t, .tenant = tenant, .others = &none};
	struct tsw_addr_key key = {.tenant = tenant};
	struct tsw_net *its;
	struct tsw_nets nets;
	__u32 unused = 0;
	int err = nets_load(t, tenant, &nets);

	if (err)
		return err;
	its = net_of(&nets, net);
	if (!its)
		return fail(ENOENT, "the tenant no longer has the net %s", prefix_text(net));
	begin(&s, its);
	if (chosen)
		err = take(&s, addr);
	key.addr = *addr;
	if (!chosen)
		err = endpoint_check_addr(t, &key, NULL, &unused);
	err = err ?: addr_give_up(t, &key);
	if (err || !chosen)
		return err;
	its->last = *addr;
	return map_put(&t->maps, MAP_NETS, &tenant, &nets);
}
