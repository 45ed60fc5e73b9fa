// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "door/gateway_nft.h"
#include "door/nat_ports.h"
#include "kernel/conntrack.h"
#include "kernel/sockets.h"
#include "object/publish.h"
#include "record/fields.h"
#include "record/gateway_find.h"
#include "record/port_holder.h"
#include "record/prefix_find.h"
#include "record/tenant_find.h"
#include "rules/rules.h"
#include "wire/crypt.h"

const char *proto_text(__u32 proto)
{
	return proto == IPPROTO_UDP ? "udp" : "tcp";
}

struct tsw_publish_spec publish_spec(const struct publish *p)
{
	return (struct tsw_publish_spec){.proto = p->key.proto == IPPROTO_UDP ? TSW_PROTO_UDP
									      : TSW_PROTO_TCP,
					 .port = p->key.port,
					 .to = {p->to.addr, p->to.port}};
}

struct publish publish_of(const struct tsw_publish_spec *spec, bool allow_missing)
{
	return (struct publish){.key = {.family = (__u16)addr_family(&spec->to.addr),
					.proto = proto_number(spec->proto),
					.port = spec->port},
				.to = {.port = (__u16)spec->to.port, .addr = spec->to.addr},
				.allow_missing = allow_missing};
}

/* `tcp port 80`, or `tcp port 80 of IPv6`. */
static const char *port_text(const struct tsw_publish_key *key)
{
	static _Thread_local char text[32];

	snprintf(text, sizeof(text), "%s port %u%s", proto_text(key->proto), key->port,
		 key->family == TSW_IPV6 ? " of IPv6" : "");
	return text;
}

/* ---- elements in nftables --------------------------------------------------------- */

typedef void edit(struct nft_change *c, const char *set, json_t *key, json_t *value);

static const struct tsw_addr *address_of(const struct tsw_gateway *gw, enum tsw_family family)
{
	unsigned int i;

	for (i = 0; i < gw->n_addrs; i++)
		if (addr_family(&gw->addr[i].addr) == family)
			return &gw->addr[i].addr;
	return NULL;
}

/* An endpoint must answer to the gateway, or it would answer its neighbour directly. */
static void edit_hairpin(struct nft_change *c, edit *edit, const struct tsw_gateway *gw,
			 enum tsw_family family)
{
	const struct tsw_addr *addr = address_of(gw, family);

	if (addr)
		edit(c, family == TSW_IPV4 ? "hairpin_snat4" : "hairpin_snat6",
		     nft_mark(TSW_CT_HAIRPIN | gw->index), nft_addr(addr));
}

/* The elements that all mappings of a tenant share: they say to which tenant a flow belongs. */
static void edit_flows(struct nft_change *c, edit *edit, const struct tsw_gateway *gw)
{
	const __u32 tenant = TSW_MARK_TENANT | gw->index;
	const __u32 hairpin = TSW_CT_HAIRPIN | gw->index, published = TSW_CT_PUBLISHED | gw->index;

	edit(c, "initiators", nft_mark(hairpin), nft_mark(tenant));
	edit(c, "responders", nft_mark(hairpin), nft_mark(tenant));
	edit(c, "responders", nft_mark(published), nft_mark(tenant));
	edit(c, "flows", nft_concat(nft_mark(tenant), nft_mark(hairpin), NULL), NULL);
	edit(c, "flows", nft_concat(nft_mark(tenant), nft_mark(published), NULL), NULL);
	edit_hairpin(c, edit, gw, TSW_IPV4);
	edit_hairpin(c, edit, gw, TSW_IPV6);
}

static json_t *port_json(const struct tsw_publish_key *key)
{
	return nft_concat(nft_word(proto_text(key->proto)), nft_number(key->port), NULL);
}

static void edit_mapping(struct nft_change *c, edit *edit, const struct tsw_gateway *gw,
			 const struct publish *p)
{
	const bool v4 = p->key.family == TSW_IPV4;

	edit(c, v4 ? "publish4" : "publish6", port_json(&p->key),
	     nft_concat(nft_addr(&p->to.addr), nft_number(p->to.port), NULL));
	edit(c, v4 ? "published4" : "published6", port_json(&p->key),
	     nft_mark(TSW_CT_PUBLISHED | gw->index));
	edit(c, v4 ? "hairpins4" : "hairpins6",
	     nft_concat(nft_mark(TSW_MARK_TENANT | gw->index), nft_word(proto_text(p->key.proto)),
			nft_number(p->key.port), NULL),
	     NULL);
}

bool publish_is_active(const struct tsw_gateway *gw, const struct tsw_publish *to)
{
	return gateway_is_ready(gw) && gw->index && !(to->flags & TSW_PUBLISH_PENDING);
}

/* Like edit_all(): the elements for flows exist wherever the gateway has an index. */
static int open_way(const struct tsw_gateway *gw, const struct publish *p)
{
	struct nft_change c;

	if (!gw->index)
		return 0;
	nft_begin(&c);
	edit_flows(&c, nft_put, gw);
	if (publish_is_active(gw, &p->to))
		edit_mapping(&c, nft_put, gw, p);
	return gateway_nft_commit_put(&c, 0);
}

/* LAST: the tenant has no other mapping, so the elements for its flows go too. */
static int close_way(const struct tsw_gateway *gw, const struct publish *p, bool last)
{
	struct nft_change c;
	int err;

	if (!gw->index)
		return 0;
	nft_begin(&c);
	edit_mapping(&c, nft_drop, gw, p);
	if (last)
		edit_flows(&c, nft_drop, gw);
	err = gateway_nft_commit_drop(&c);
	err = err ?: conntrack_forget_ports(&p->key, 1, TSW_CT_PUBLISHED | gw->index);
	return err ?: conntrack_forget_ports(&p->key, 1, TSW_CT_HAIRPIN | gw->index);
}

/* ---- records ---------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct publish *x = a, *y = b;

	return x->to.tenant < y->to.tenant ? -1 : x->to.tenant > y->to.tenant;
}

int publish_list(const struct tsw *t, __u32 tenant, struct publish **all, size_t *n)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_PUBLISH, &rows);

	*n = 0;
	*all = err ? NULL : calloc(rows.n + 1, sizeof(**all));
	if (err)
		return err;
	if (!*all)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		struct publish *p = &(*all)[*n];

		memcpy(&p->key, row_key(&rows, i), sizeof(p->key));
		memcpy(&p->to, row_value(&rows, i), sizeof(p->to));
		if (!tenant || p->to.tenant == tenant)
			++*n;
	}
	qsort(*all, *n, sizeof(**all), compare);
	return 0;
}

static void free_list(struct publish **all)
{
	free(*all);
}

#define cleanup_list __attribute__((cleanup(free_list)))

/* *LAST: P is the only mapping of its tenant. */
static int is_last(const struct tsw *t, const struct publish *p, bool *last)
{
	cleanup_list struct publish *all = NULL;
	size_t n;
	int err = publish_list(t, p->to.tenant, &all, &n);

	*last = n < 2;
	return err;
}

static int put(const struct tsw *t, const struct publish *p, bool pending)
{
	struct tsw_publish to = p->to;

	to.flags = pending ? TSW_PUBLISH_PENDING : 0;
	return map_put(&t->maps, MAP_PUBLISH, &p->key, &to);
}

/* If the gateway is gone, the elements are gone too, and only the record is left. */
static int withdraw(struct tsw *t, const struct publish *p)
{
	struct tsw_gateway gw = {};
	bool last;
	int err = gateway_get(t, p->to.tenant, &gw);

	if (err == -ENOENT)
		return map_del(&t->maps, MAP_PUBLISH, &p->key);
	err = err ?: is_last(t, p, &last);
	err = err ?: put(t, p, true);
	err = err ?: close_way(&gw, p, last);
	return err ?: map_del(&t->maps, MAP_PUBLISH, &p->key);
}

/* ---- checks ----------------------------------------------------------------------- */

/* A port leads only to an address that the source guard holds to its endpoint. */
static int check_target(struct tsw *t, const struct tsw_name *tenant, const struct tsw_gateway *gw,
			const struct publish *want)
{
	const struct tsw_addr_key key = {.tenant = want->to.tenant, .addr = want->to.addr};
	enum rule_owner is = OWNER_ENDPOINT;
	struct tsw_mac owner;
	int err = addr_owner(t, &key, &owner);

	if (err && err != -ENOENT)
		return err;
	if (!err && mac_equal(&owner, &gw->mac))
		is = OWNER_GATEWAY;
	else if (err && !want->allow_missing)
		is = OWNER_NOBODY;
	return rule_target(tenant->s, &key.addr, is, gw->addr, gw->n_addrs);
}

int publish_check_port(const struct tsw *t, const struct publish *want)
{
	const struct tsw_publish_key *key = &want->key;
	const struct tsw_port_range nat = nat_ports_want(t);
	struct tsw_addr at;
	bool found;
	int err;

	if (key->proto == IPPROTO_UDP &&
	    (key->port == ntohs(t->config.port) || key->port == TSW_GENEVE_PORT ||
	     crypt_has_port(t, key->port)))
		return fail(EADDRINUSE,
			    "udp port %u belongs to the switch, which receives its tunnels there",
			    key->port);
	if (key->port >= nat.first && key->port <= nat.last)
		return fail(EADDRINUSE, "ports %u-%u are reserved for outgoing NAT; choose another",
			    nat.first, nat.last);
	err = sockets_find(key->family, (__u8)key->proto, (__u16)key->port, "", &found, &at);
	if (!err && found)
		err = sockets_find(key->family, (__u8)key->proto, (__u16)key->port,
				   port_container(t, &want->to, want->dev), &found, &at);
	if (err || !found)
		return err;
	return fail(EADDRINUSE, "%s is in use on this host: a socket %s at %s", port_text(key),
		    key->proto == IPPROTO_UDP ? "is bound" : "listens",
		    addr_is_none(&at) ? "all addresses" : addr_text(&at));
}

/* Removes a pending mapping: it was never completed, or a killed command began to delete it. */
static int check_mapping(struct tsw *t, const struct publish *want)
{
	struct publish old = {.key = want->key};
	struct tsw_publish_spec spec;
	int err = map_get(&t->maps, MAP_PUBLISH, &old.key, &old.to);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (old.to.flags & TSW_PUBLISH_PENDING)
		return withdraw(t, &old);
	spec = publish_spec(&old);
	return rule_is_published(tenant_name_of(t, old.to.tenant).s, &spec);
}

/* ---- commands --------------------------------------------------------------------- */

/* Keeps the first error. */
static int undo_add(struct tsw *t, const struct publish *want, bool opened)
{
	const struct failure why = *failure();

	if (opened)
		withdraw(t, want);
	else
		map_del(&t->maps, MAP_PUBLISH, &want->key);
	return fail_again(&why);
}

static int carry_out(struct tsw *t, const struct tsw_gateway *gw, const struct publish *want)
{
	int err = put(t, want, true);

	if (err)
		return err;
	if (open_way(gw, want))
		return undo_add(t, want, false);
	/* A sender without a receiver so far goes on as a new connection, by the mapping. */
	if (publish_is_active(gw, &want->to))
		err = conntrack_forget_ports(&want->key, 1, 0);
	err = err ?: put(t, want, false);
	return err ? undo_add(t, want, true) : 0;
}

int publish_add(struct tsw *t, const struct tsw_name *tenant, const struct publish *asked)
{
	struct publish want = *asked;
	struct tsw_gateway gw;
	int err = gateway_find(t, tenant, &want.to.tenant, &gw);

	err = err ?: check_target(t, tenant, &gw, &want);
	err = err ?: publish_check_port(t, &want);
	err = err ?: check_mapping(t, &want);
	err = err ?: carry_out(t, &gw, &want);
	/* A state with ports of all hosts says it by `active`. */
	if (!err && !want.allow_missing && !publish_is_active(&gw, &want.to))
		note(&t->log,
		     "this host does not serve the gateway of tenant %s: until it does, the port "
		     "does not work",
		     quoted(tenant->s));
	return err;
}

/* 1: the tenant has no such mapping. */
static int find(struct tsw *t, __u32 tenant, const struct publish *want, struct publish *found)
{
	const bool any = !want->to.port;
	int err = map_get(&t->maps, MAP_PUBLISH, &found->key, &found->to);

	if (err == -ENOENT || (!err && found->to.tenant != tenant))
		return 1;
	if (err || any ||
	    (found->to.port == want->to.port && addr_equal(&found->to.addr, &want->to.addr)))
		return err;
	return fail(ENOENT, "%s leads to %s, not to the given target", port_text(&found->key),
		    target_text(&found->to.addr, found->to.port));
}

int publish_del(struct tsw *t, const struct tsw_name *tenant, const struct publish *want)
{
	const struct tsw_publish_spec spec = publish_spec(want);
	struct publish found[TSW_FAMILIES] = {};
	int n = 0, family, err;
	struct tsw_tenant unused;
	__u32 id;

	err = tenant_find(t, tenant, &id, &unused);
	for (family = 0; !err && family < TSW_FAMILIES; family++) {
		if (want->to.port && family != want->key.family)
			continue;
		found[n].key = want->key;
		found[n].key.family = (__u16)family;
		err = find(t, id, want, &found[n]);
		if (!err)
			n++;
		else if (err > 0)
			err = 0;
	}
	if (!err && !n)
		err = rule_no_publish(tenant->s, &spec);
	while (!err && n--)
		err = withdraw(t, &found[n]);
	return err;
}

/* ---- with the gateway ------------------------------------------------------------- */

/* A program may listen at the port by now, but that must not stop the gateway's move. */
static void tell_conflict(struct tsw *t, const struct publish *p)
{
	if (publish_check_port(t, p))
		note(&t->log, "%s, and tenant %s publishes it: outside hosts reach the tenant",
		     failure()->text, tenant_text(t, p->to.tenant));
}

/*
 * Puts the elements of active mappings. FRESH: mappings may just have become active or inactive, so
 * it also drops those of inactive ones, and warns about conflicts.
 */
static int edit_all(struct tsw *t, struct nft_change *c, __u32 tenant, bool fresh)
{
	cleanup_list struct publish *all = NULL;
	struct tsw_gateway gw = {};
	__u32 last = 0;
	size_t n, i;
	int err = publish_list(t, tenant, &all, &n);

	for (i = 0; !err && i < n; i++) {
		if (all[i].to.tenant != last) {
			last = all[i].to.tenant;
			gw = (struct tsw_gateway){};
			err = gateway_get(t, last, &gw);
			err = err == -ENOENT ? 0 : err;
			if (gw.index)
				edit_flows(c, nft_put, &gw);
		}
		if (publish_is_active(&gw, &all[i].to)) {
			edit_mapping(c, nft_put, &gw, &all[i]);
			if (fresh)
				tell_conflict(t, &all[i]);
		} else if (fresh && gw.index) {
			edit_mapping(c, nft_drop, &gw, &all[i]);
		}
	}
	return err;
}

int publish_fill(struct tsw *t, struct nft_change *c)
{
	return edit_all(t, c, 0, false);
}

int publish_let_in(struct tsw *t, __u32 tenant)
{
	cleanup_list struct publish *all = NULL;
	struct tsw_publish_key *keys;
	struct tsw_gateway gw;
	size_t n, n_keys = 0, i;
	int err = publish_list(t, tenant, &all, &n);

	if (err || !n)
		return err;
	keys = calloc(n, sizeof(*keys));
	if (!keys)
		return fail_memory();
	for (i = 0; i < n; i++)
		if (!gateway_get(t, all[i].to.tenant, &gw) && publish_is_active(&gw, &all[i].to))
			keys[n_keys++] = all[i].key;
	if (n_keys)
		err = conntrack_forget_ports(keys, n_keys, 0);
	free(keys);
	return err;
}

int publish_refresh(struct tsw *t, __u32 tenant)
{
	struct nft_change c;

	nft_begin(&c);
	return gateway_nft_commit_put(&c, edit_all(t, &c, tenant, true));
}

int publish_drop_former(const struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
			const struct tsw_gateway *want, struct nft_change *c)
{
	cleanup_list struct publish *all = NULL;
	const struct tsw_addr *is, *was;
	size_t n = 0;
	int err = old->index ? publish_list(t, tenant, &all, &n) : 0, family;

	for (family = 0; !err && n && family < TSW_FAMILIES; family++) {
		was = address_of(old, family);
		is = address_of(want, family);
		if (was && !(is && addr_equal(was, is)))
			edit_hairpin(c, nft_drop, old, family);
	}
	return err;
}

int publish_del_all(struct tsw *t, __u32 tenant)
{
	cleanup_list struct publish *all = NULL;
	struct tsw_gateway gw = {};
	struct nft_change c;
	size_t n = 0, i;
	int err = publish_list(t, tenant, &all, &n);

	if (!err && n)
		err = gateway_get(t, tenant, &gw);
	if (err && err != -ENOENT)
		return err;
	nft_begin(&c);
	for (i = 0; gw.index && i < n; i++)
		edit_mapping(&c, nft_drop, &gw, &all[i]);
	if (gw.index && n)
		edit_flows(&c, nft_drop, &gw);
	err = gateway_nft_commit_drop(&c);
	for (i = 0; !err && i < n; i++)
		err = map_del(&t->maps, MAP_PUBLISH, &all[i].key);
	return err;
}
