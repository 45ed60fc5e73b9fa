// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "cni/want.h"
#include "plug/json.h"
#include "record/domain.h"

/* Parses a network, or all addresses, which parse_prefix() does not accept. */
static int parse_dst(const char *text, struct tsw_prefix *dst)
{
	int err;

	*dst = (struct tsw_prefix){};
	if (!strcmp(text, "::/0"))
		return 0;
	if (!strcmp(text, "0.0.0.0/0")) {
		*dst = (struct tsw_prefix){addr_from_v4(0), 96};
		return 0;
	}
	err = parse_prefix(text, dst);
	dst->addr = prefix_first(dst);
	return err;
}

/* ---- the request ------------------------------------------------------------------ */

static int read_device(struct cni *c, struct want *want)
{
	const char *text;
	int err = cni_text(c, c->config, "device", &text);

	if (err || !text)
		return err;
	err = device_kind_parse(text, &want->device);
	if (err)
		fail_where("device: ");
	return cni_code(c, CNI_BAD_CONFIG, err);
}

int want_read(struct cni *c, struct want *want)
{
	json_int_t mtu;
	int err = cni_check_keys(c);

	err = err ?: cni_check_words(c);
	err = err ?: want_addresses(c, want);
	want->chosen = !want->dress.n_ip && !c->ipam;
	want->dns = plug_find(c->config, "dns");
	err = err ?: read_device(c, want);
	err = err ?: want_rates(c, &want->limits);
	err = err ?: want_name(c, want);
	err = err ?: want_offers(c, want);
	err = err ?: cni_list(c, c->runtime, "portMappings", &want->ports);
	err = err ?: cni_number(c, c->config, "mtu", &mtu);
	if (!err && mtu > 65535)
		err = cni_code(c, CNI_BAD_CONFIG,
			       misuse("mtu: %lld is more than 65535", (long long)mtu));
	want->mtu = (__u32)mtu;
	if (!err && plug_find(c->config, "prevResult"))
		err = cni_code(c, CNI_BAD_FIELD,
			       misuse("prevResult: tsw-cni must be the first plugin of its "
				      "list"));
	return err;
}

/* ---- the IPAM plugin's result ----------------------------------------------------- */

static int ipam_ip(struct cni *c, const json_t *item, struct want *want)
{
	struct dress_ip *ip = &want->dress.ip[want->dress.n_ip];
	const char *address, *gateway;
	int err = cni_text(c, item, "address", &address);

	err = err ?: cni_text(c, item, "gateway", &gateway);
	err = err ?: cni_code(c, CNI_BAD_CONFIG, want_add_ip(address ?: "", &want->dress));
	if (!err && !ip->at.len)
		err = cni_code(c, CNI_BAD_CONFIG,
			       misuse("address: %s has no prefix length", quoted(address ?: "")));
	if (!err && gateway)
		err = cni_code(c, CNI_BAD_CONFIG, parse_ip(gateway, &ip->gateway));
	return err;
}

/* A route without a gateway uses the one of its family's first address that has one. */
static int ipam_route(struct cni *c, const json_t *item, struct want *want)
{
	struct dress *dress = &want->dress;
	struct dress_route *route = &dress->route[dress->n_route];
	const char *dst, *gateway;
	unsigned int i;
	int err = cni_text(c, item, "dst", &dst);

	err = err ?: cni_text(c, item, "gw", &gateway);
	if (!err && dress->n_route == DRESS_ROUTES)
		err = misuse("routes: there are more than %d", DRESS_ROUTES);
	if (err)
		return cni_code(c, CNI_BAD_CONFIG, err);
	*route = (struct dress_route){};
	err = parse_dst(dst ?: "", &route->dst);
	if (!err && gateway)
		err = parse_ip(gateway, &route->gateway);
	for (i = 0; !err && !gateway && i < dress->n_ip; i++)
		if (addr_is_none(&route->gateway) &&
		    addr_is_v4(&dress->ip[i].at.addr) == addr_is_v4(&route->dst.addr))
			route->gateway = dress->ip[i].gateway;
	dress->n_route++;
	return cni_code(c, CNI_BAD_CONFIG, err);
}

int want_ipam(struct cni *c, const json_t *result, struct want *want)
{
	const json_t *ips, *routes, *item;
	size_t i;
	int err = cni_list(c, result, "ips", &ips);

	err = err ?: cni_list(c, result, "routes", &routes);
	if (err)
		return err;
	want->dress.n_ip = 0;
	json_array_foreach(ips, i, item) {
		err = err ?: ipam_ip(c, item, want);
	}
	json_array_foreach(routes, i, item) {
		err = err ?: ipam_route(c, item, want);
	}
	if (!err && !want->dress.n_ip)
		err = cni_code(c, CNI_BAD_CONFIG,
			       fail(ENOENT, "plugin %s returned no address", quoted(c->ipam)));
	want->routed = routes != NULL;
	if (!want->dns)
		want->dns = plug_find(result, "dns");
	if (err)
		fail_more("; in the result of plugin %s", quoted(c->ipam));
	return err;
}

/* ---- the tenant's settings -------------------------------------------------------- */

static void add_default(struct dress *dress, const struct tsw_addr *gateway)
{
	const bool v4 = addr_is_v4(gateway);
	unsigned int i;

	for (i = 0; i < dress->n_route; i++)
		if (addr_is_v4(&dress->route[i].gateway) == v4)
			return; /* the family has a route already */
	dress->route[dress->n_route++] = (struct dress_route){
		.dst = {.addr = v4 ? addr_from_v4(0) : (struct tsw_addr){}, .len = v4 ? 96 : 0},
		.gateway = *gateway};
}

/* Does the network or the runtime name DNS servers? Also an empty list of the network's counts. */
static bool names_servers(const struct cni *c, const struct want *want)
{
	return plug_find(want->dns, "nameservers") ||
	       json_array_size(plug_find(plug_find(c->runtime, "dns"), "servers"));
}

/* Adds the tenant's DNS server of the address's family, and a route to it. */
static void add_server(const struct tenancy *tenancy, const struct dress_ip *ip, struct want *want)
{
	struct dress *dress = &want->dress;
	bool gateway;
	struct tsw_addr addr = tenancy_server(tenancy, &ip->at, &gateway);
	struct tsw_addr *server = &want->server.of[addr_family(&ip->at.addr)];

	if (addr_is_none(&addr) || !addr_is_none(server) || dress->n_route == DRESS_ROUTES ||
	    !domain_make(&tenancy->spec.name, &tenancy->spec.domain, &want->domain))
		return;
	*server = addr;
	if (!gateway)
		dress->route[dress->n_route++] = (struct dress_route){.dst = {addr, 128}};
}

int want_settle(struct cni *c, const struct tenancy *tenancy, const struct tsw_addr_list *got,
		struct want *want)
{
	struct dress *dress = &want->dress;
	unsigned int i;
	int err = 0;

	for (i = 0; want->chosen && i < got->n; i++)
		dress->ip[dress->n_ip++] = (struct dress_ip){.at.addr = got->at[i]};
	for (i = 0; !err && i < dress->n_ip; i++) {
		err = cni_code(c, CNI_BAD_CONFIG, tenancy_length(tenancy, &dress->ip[i].at));
		if (!want->routed && addr_is_none(&dress->ip[i].gateway))
			dress->ip[i].gateway = tenancy_gateway(tenancy, &dress->ip[i].at);
		if (!want->routed && !addr_is_none(&dress->ip[i].gateway))
			add_default(dress, &dress->ip[i].gateway);
	}
	for (i = 0; !err && !names_servers(c, want) && i < dress->n_ip; i++)
		add_server(tenancy, &dress->ip[i], want);
	return err;
}
