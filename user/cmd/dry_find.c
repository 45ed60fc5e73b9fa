// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/spell.h"
#include "base/text.h"
#include "cmd/dry_find.h"

static bool has(const json_t *item, const char *key, const char *text)
{
	return !strcmp(json_text_in(item, key), text);
}

struct dry_found dry_named(json_t *list, const char *name)
{
	struct dry_found found = {.list = list};

	json_array_foreach(list, found.at, found.item)
		if (!strcmp(json_string_value(found.item) ?: json_text_in(found.item, "name"),
			    name))
			return found;
	found.item = NULL;
	return found;
}

static int in_any_tenant(json_t *all, const char *name, struct dry_found *found)
{
	json_t *tenant, *first = NULL;
	struct dry_found one;
	size_t i;

	*found = (struct dry_found){};
	json_array_foreach(whole_list(all, "tenants"), i, tenant) {
		one = dry_named(whole_list(tenant, "endpoints"), name);
		if (one.item && first)
			return rule_ambiguous(json_text_in(first, "name"),
					      json_text_in(tenant, "name"), name);
		if (one.item) {
			first = tenant;
			*found = one;
		}
	}
	return 0;
}

int dry_endpoint(json_t *all, const char *tenant, const char *name, struct dry_found *found)
{
	struct dry_found its = dry_named(whole_list(all, "tenants"), tenant);

	if (!*tenant)
		return in_any_tenant(all, name, found);
	*found = (struct dry_found){};
	if (!its.item)
		return rule_missing("tenant", tenant);
	*found = dry_named(whole_list(its.item, "endpoints"), name);
	return 0;
}

/* An IPv6 address stands in brackets. */
struct dry_found dry_publish(json_t *tenant, const struct tsw_publish_spec *spec)
{
	struct dry_found found = {.list = whole_list(tenant, "publish")};
	const bool any = addr_is_none(&spec->to.addr) && !spec->to.port;

	json_array_foreach(found.list, found.at, found.item)
		if (has(found.item, "proto", word_protos[spec->proto]) &&
		    json_integer_value(json_object_get(found.item, "port")) == spec->port &&
		    (any || (*json_text_in(found.item, "to") == '[') != addr_is_v4(&spec->to.addr)))
			return found;
	found.item = NULL;
	return found;
}

struct dry_found dry_peer(json_t *all, const char *tenant, const char *with)
{
	struct dry_found found = {.list = whole_list(all, "peers")};

	json_array_foreach(found.list, found.at, found.item)
		if (has(found.item, "tenant", tenant) && has(found.item, "with", with))
			return found;
	found.item = NULL;
	return found;
}

int dry_serves(json_t *all, const char *host)
{
	const json_t *gateway;
	json_t *tenant;
	size_t i;

	json_array_foreach(whole_list(all, "tenants"), i, tenant) {
		gateway = json_object_get(tenant, "gateway");
		if (has(gateway, "host", host))
			return rule_host_serves(json_text_in(tenant, "name"), true);
		if (dry_named(json_object_get(gateway, "backup"), host).item)
			return rule_host_serves(json_text_in(tenant, "name"), false);
	}
	return 0;
}

int dry_group_used(json_t *tenant, const char *group)
{
	char who[TSW_NAME_LEN + 8];
	json_t *item;
	size_t i;

	snprintf(who, sizeof(who), "group:%s", group);
	json_array_foreach(whole_list(tenant, "endpoints"), i, item)
		if (dry_named(json_object_get(item, "group"), group).item)
			return rule_group_member(json_text_in(item, "name"));
	json_array_foreach(whole_list(tenant, "policies"), i, item)
		if (has(item, "from", who) || has(item, "to", who))
			return rule_group_named(json_text_in(item, "name"));
	return 0;
}

void dry_at_host(json_t *all, const char *host, struct rule_names *names)
{
	json_t *tenant, *item;
	size_t i, k;

	json_array_foreach(whole_list(all, "tenants"), i, tenant)
		json_array_foreach(whole_list(tenant, "endpoints"), k, item)
			if (has(item, "host", host) || has(item, "to_host", host))
				rule_name(names, json_text_in(tenant, "name"),
					  json_text_in(item, "name"));
}

void dry_empty_host(json_t *all, const char *host)
{
	json_t *tenant, *item, *list;
	size_t i, k;

	json_array_foreach(whole_list(all, "tenants"), i, tenant) {
		list = whole_list(tenant, "endpoints");
		for (k = 0; (item = json_array_get(list, k));) {
			if (has(item, "host", host)) {
				json_array_remove(list, k);
				continue;
			}
			if (has(item, "to_host", host)) {
				json_object_del(item, "to_host");
				json_object_del(item, "to_dev");
			}
			k++;
		}
	}
}

static bool is_side(const json_t *peer, const char *tenant)
{
	return has(peer, "tenant", tenant) || has(peer, "with", tenant);
}

size_t dry_halves(json_t *all, const char *tenant)
{
	size_t i, n = 0;
	json_t *peer;

	json_array_foreach(whole_list(all, "peers"), i, peer)
		n += is_side(peer, tenant);
	return n;
}

void dry_drop_peers(json_t *all, const char *tenant)
{
	json_t *list = whole_list(all, "peers"), *peer;
	size_t i = 0;

	while ((peer = json_array_get(list, i)))
		if (is_side(peer, tenant))
			json_array_remove(list, i);
		else
			i++;
}

json_int_t dry_free_id(json_t *all)
{
	json_int_t id = 1;
	json_t *tenant;
	size_t i;

	json_array_foreach(whole_list(all, "tenants"), i, tenant)
		if (json_integer_value(json_object_get(tenant, "id")) == id) {
			id++;
			i = (size_t)-1; /* the list is in the order of names */
		}
	return id;
}

static bool is_mac_taken(const json_t *endpoints, const char *mac)
{
	json_t *item;
	size_t i;

	json_array_foreach(endpoints, i, item)
		if (has(item, "mac", mac))
			return true;
	return false;
}

/* Writes any free MAC, since the command would choose one at random. */
void dry_free_mac(const json_t *endpoints, json_t *item)
{
	unsigned int n = 0;
	char mac[18];

	do
		snprintf(mac, sizeof(mac), "06:00:00:%02x:%02x:%02x", n >> 16 & 0xff, n >> 8 & 0xff,
			 n & 0xff);
	while (n++ < 1 << 24 && is_mac_taken(endpoints, mac));
	json_object_set_new(item, "mac", json_string(mac));
}
