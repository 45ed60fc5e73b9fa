// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "door/gateway_nft.h"
#include "door/tracking.h"
#include "kernel/address.h"

static const char *const snat_maps[TSW_FAMILIES] = {"snat4", "snat6"};
static const char *const host_sets[TSW_FAMILIES] = {"at_host4", "at_host6"};
static const char *const resolver_maps[TSW_FAMILIES] = {"resolver4", "resolver6"};

/* Appends [set, key] or [set, key, value]. */
static void add(json_t *list, const char *set, json_t *key, json_t *value)
{
	json_array_append_new(list, json_pack("[s, o, o*]", set, key, value));
}

/*
 * The addresses as which flows with MARK leave. The chain looks at `snat` first, so `hidden` only
 * counts for a family without it.
 */
static void add_leaving(json_t *list, const struct tsw_gateway *gw, __u32 mark)
{
	int family;

	if (gw->flags & TSW_GATEWAY_NAT)
		add(list, "hidden", nft_mark(mark), NULL);
	for (family = 0; family < TSW_FAMILIES; family++) {
		if (addr_is_none(&gw->snat[family]))
			continue;
		add(list, snat_maps[family], nft_mark(mark), nft_addr(&gw->snat[family]));
		if (address_is_local(&gw->snat[family]))
			add(list, host_sets[family], nft_mark(mark), NULL);
	}
}

/*
 * Flows to a resolver have their own ct mark. While the gateway moves, frames have the usual one.
 */
static void add_names(json_t *list, const struct tsw_gateway *gw)
{
	const __u32 tenant = TSW_MARK_TENANT | gw->index, names = TSW_CT_NAMES | gw->index;
	int family, n = 0;

	for (family = 0; family < TSW_FAMILIES; family++) {
		if (addr_is_none(&gw->resolver[family]))
			continue;
		add(list, resolver_maps[family], nft_mark(names), nft_addr(&gw->resolver[family]));
		n++;
	}
	if (!n)
		return;
	add(list, "flows", nft_concat(nft_mark(names), nft_mark(names), NULL), NULL);
	add(list, "flows", nft_concat(nft_mark(tenant), nft_mark(names), NULL), NULL);
	add(list, "initiators", nft_mark(names), nft_mark(tenant));
	add_leaving(list, gw, names);
}

/* Flows with timeouts of the tenant's own, and flows that a helper reads. */
static void add_tracking(json_t *list, const struct tsw_gateway *gw)
{
	const char *chain = tracking_chain(gw);
	const __u32 tenant = TSW_MARK_TENANT | gw->index, expected = TSW_CT_EXPECTED | gw->index;
	struct tracking_helper helper;
	int i;

	if (chain)
		add(list, "own", nft_mark(gw->index), nft_jump(chain));
	if (gw->flags & TSW_GATEWAY_HELPERS) {
		add(list, "responders", nft_mark(expected), nft_mark(tenant));
		add(list, "flows", nft_concat(nft_mark(tenant), nft_mark(expected), NULL), NULL);
	}
	for (i = 0; i < TSW_HELPERS; i++) {
		if (!tracking_has_helper(gw, i, &helper))
			continue;
		add(list, "helpers",
		    nft_concat(nft_mark(TSW_CT_OUT | gw->index), nft_word(helper.proto),
			       nft_number(helper.port), NULL),
		    nft_jump(helper.chain));
	}
}

/* All elements of a gateway, which may be NULL. */
static json_t *elements(const struct tsw_gateway *gw)
{
	json_t *list = json_array();
	__u32 tenant;

	if (!gw || !gw->index)
		return list;
	tenant = TSW_MARK_TENANT | gw->index;
	add(list, "zones", nft_number(gw->index), nft_number(gw->index));
	add(list, "flows", nft_concat(nft_mark(tenant), nft_mark(tenant), NULL), NULL);
	add(list, "initiators", nft_mark(tenant), nft_mark(tenant));
	add_leaving(list, gw, tenant);
	add_names(list, gw);
	add_tracking(list, gw);
	return list;
}

typedef void change(struct nft_change *c, const char *set, json_t *key, json_t *value);

static void apply(struct nft_change *c, change *fn, const json_t *element)
{
	fn(c, json_string_value(json_array_get(element, 0)),
	   json_incref(json_array_get(element, 1)), json_incref(json_array_get(element, 2)));
}

static bool has(const json_t *list, const json_t *element)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (json_equal(one, element))
			return true;
	return false;
}

void gateway_nft_put(struct nft_change *c, const struct tsw_gateway *gw)
{
	json_t *list = elements(gw), *element;
	size_t i;

	tracking_put(c, gw);
	json_array_foreach(list, i, element)
		apply(c, nft_put, element);
	json_decref(list);
}

void gateway_nft_put_at_host(struct nft_change *c, const struct tsw_gateway *gw,
			     enum tsw_family family)
{
	json_t *list = elements(gw), *element;
	size_t i;

	json_array_foreach(list, i, element)
		if (!strcmp(json_string_value(json_array_get(element, 0)), host_sets[family]))
			apply(c, nft_put, element);
	json_decref(list);
}

void gateway_nft_drop(struct nft_change *c, const struct tsw_gateway *old,
		      const struct tsw_gateway *want)
{
	json_t *list = elements(old), *stay = elements(want), *element;
	size_t i;

	tracking_drop(c, old, want);
	json_array_foreach(list, i, element)
		if (!has(stay, element))
			apply(c, nft_drop, element);
	json_decref(stay);
	json_decref(list);
}

int gateway_nft_commit_put(struct nft_change *c, int err)
{
	if (err) {
		nft_abandon(c);
		return err;
	}
	err = nft_commit(c);
	if (err == -ENOENT)
		fail_more("; the switch's nftables table is missing, restore it with: tsw switch "
			  "repair");
	return err;
}

int gateway_nft_commit_drop(struct nft_change *c)
{
	int err = nft_commit(c);

	return err == -ENOENT ? 0 : err;
}
