// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/parse.h"
#include "base/text.h"
#include "cni/result.h"
#include "plug/json.h"

/* ---- writing ---------------------------------------------------------------------- */

static json_t *interfaces(const struct cni *c, const struct want *want,
			  const struct tsw_mac *host_mac)
{
	json_t *host = json_pack("{s:s, s:s}", "name", c->names.dev, "mac", mac_text(host_mac));
	json_t *own = json_pack("{s:s, s:s, s:o}", "name", c->ifname, "mac", mac_text(&want->mac),
				"sandbox", json_text(c->netns));

	if (c->version >= CNI_1_1_0) {
		json_object_set_new(host, "mtu", json_integer(want->mtu));
		json_object_set_new(own, "mtu", json_integer(want->mtu));
	}
	return json_pack("[o, o]", host, own);
}

static json_t *ips(const struct cni *c, const struct dress *dress)
{
	json_t *all = json_array(), *item;
	unsigned int i;

	for (i = 0; i < dress->n_ip; i++) {
		const struct dress_ip *ip = &dress->ip[i];

		item = json_pack("{s:s, s:i}", "address", prefix_text(&ip->at), "interface", 1);
		if (c->version < CNI_1_0_0)
			json_object_set_new(item, "version",
					    json_string(addr_is_v4(&ip->at.addr) ? "4" : "6"));
		if (!addr_is_none(&ip->gateway))
			json_object_set_new(item, "gateway", json_string(addr_text(&ip->gateway)));
		json_array_append_new(all, item);
	}
	return all;
}

static json_t *routes(const struct dress *dress)
{
	json_t *all = json_array(), *item;
	unsigned int i;

	for (i = 0; i < dress->n_route; i++) {
		item = json_pack("{s:s}", "dst", prefix_text(&dress->route[i].dst));
		if (!addr_is_none(&dress->route[i].gateway))
			json_object_set_new(item, "gw",
					    json_string(addr_text(&dress->route[i].gateway)));
		json_array_append_new(all, item);
	}
	return all;
}

/* Adds the tenant's own DNS servers, if no others are given. */
static void add_own(const struct want *want, json_t *dns)
{
	json_t *servers = json_array();
	unsigned int i;

	for (i = 0; i < TSW_FAMILIES; i++)
		if (!addr_is_none(&want->server.of[i]))
			json_array_append_new(servers, json_string(addr_text(&want->server.of[i])));
	if (json_array_size(servers)) {
		json_object_set(dns, "nameservers", servers);
		if (!plug_find(dns, "search"))
			json_object_set_new(dns, "search", json_pack("[s]", want->domain.text + 1));
	}
	json_decref(servers);
}

/* The DNS settings: the runtime's capability takes precedence over the network's own. */
static json_t *dns(const struct cni *c, const struct want *want)
{
	static const char *const keys[][2] = {{"servers", "nameservers"},
					      {"domain", "domain"}, /* the network's alone */
					      {"searches", "search"},
					      {"options", "options"}};
	const json_t *runtime = plug_find(c->runtime, "dns"), *value;
	json_t *all = json_object();
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		value = plug_find(runtime, keys[i][0]);
		if (!json_array_size(value))
			value = plug_find(want->dns, keys[i][1]);
		if (value)
			json_object_set(all, keys[i][1], (json_t *)value);
	}
	add_own(want, all);
	return all;
}

json_t *result_json(const struct cni *c, const struct want *want, const struct tsw_mac *host_mac)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "cniVersion", cni_versions[c->version],
			 "interfaces", interfaces(c, want, host_mac), "ips", ips(c, &want->dress),
			 "routes", routes(&want->dress), "dns", dns(c, want));
}

/* ---- reading ---------------------------------------------------------------------- */

/* Finds C's interface. *OWN: its place in the list, to which addresses refer. */
static int read_interface(struct cni *c, const json_t *list, struct tsw_mac *mac, size_t *own)
{
	const char *name, *sandbox, *text;
	const json_t *item;
	size_t i;
	int err = 0;

	json_array_foreach(list, i, item) {
		err = err ?: cni_text(c, item, "name", &name);
		err = err ?: cni_text(c, item, "sandbox", &sandbox);
		err = err ?: cni_text(c, item, "mac", &text);
		if (err)
			return err;
		if (!name || strcmp(name, c->ifname) || !sandbox || !*sandbox)
			continue;
		*own = i;
		return cni_code(c, CNI_BAD_CONFIG, parse_mac(text ?: "", mac));
	}
	return cni_code(c, CNI_BAD_CONFIG,
			misuse("prevResult: no container has an interface %s", quoted(c->ifname)));
}

static int read_ips(struct cni *c, const json_t *list, size_t own, struct dress *dress)
{
	const char *text;
	const json_t *item;
	json_int_t at;
	size_t i;
	int err = 0;

	json_array_foreach(list, i, item) {
		err = cni_number(c, item, "interface", &at);
		err = err ?: cni_text(c, item, "address", &text);
		if (err)
			return err;
		if (!plug_find(item, "interface") || (size_t)at != own ||
		    dress->n_ip == TSW_ENDPOINT_IPS)
			continue; /* another plugin's address */
		err = parse_prefix(text ?: "", &dress->ip[dress->n_ip++].at);
		if (err)
			return cni_code(c, CNI_BAD_CONFIG, err);
	}
	return 0;
}

/* Reads only default routes by a gateway, because later plugins may have changed others. */
static int read_routes(struct cni *c, const json_t *list, struct dress *dress)
{
	const char *dst, *gateway;
	const json_t *item;
	size_t i;
	int err = 0;

	json_array_foreach(list, i, item) {
		struct dress_route *route = &dress->route[dress->n_route];
		bool v4;

		err = cni_text(c, item, "dst", &dst);
		err = err ?: cni_text(c, item, "gw", &gateway);
		if (err)
			return err;
		v4 = dst && !strcmp(dst, "0.0.0.0/0");
		if (!gateway || (!v4 && (!dst || strcmp(dst, "::/0"))) ||
		    dress->n_route == DRESS_ROUTES)
			continue;
		*route = (struct dress_route){};
		if (v4)
			route->dst = (struct tsw_prefix){addr_from_v4(0), 96};
		err = parse_ip(gateway, &route->gateway);
		if (err)
			return cni_code(c, CNI_BAD_CONFIG, err);
		dress->n_route++;
	}
	return 0;
}

int result_read(struct cni *c, struct tsw_mac *mac, struct dress *dress)
{
	const json_t *prev = plug_find(c->config, "prevResult"), *list;
	size_t own = 0;
	int err;

	if (!json_is_object(prev))
		return cni_code(c, CNI_BAD_CONFIG, misuse("prevResult is missing"));
	err = cni_list(c, prev, "interfaces", &list);
	err = err ?: read_interface(c, list, mac, &own);
	err = err ?: cni_list(c, prev, "ips", &list);
	err = err ?: read_ips(c, list, own, dress);
	err = err ?: cni_list(c, prev, "routes", &list);
	return err ?: read_routes(c, list, dress);
}
