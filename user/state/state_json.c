// SPDX-License-Identifier: GPL-2.0-only
#include <netinet/in.h>

#include "object/publish.h"
#include "state/state_json.h"
#include "object/tenant.h"
#include "base/text.h"
#include "base/json.h"
#include "base/spell.h"
#include "record/limits.h"
#include "record/tenant_find.h"
#include "cli/words.h"

json_t *state_switch_json(const struct state_switch *up)
{
	json_t *o = json_object(), *devs = json_array();
	unsigned int i;

	for (i = 0; i < up->n_devs; i++)
		json_array_append_new(devs, json_text(up->dev[i]));
	if (up->given & W_DEVS)
		json_object_set(o, "dev", devs);
	if (up->given & W_PORT)
		json_object_set_new(o, "port", json_integer(up->port));
	if (up->given & W_XDP)
		json_object_set_new(o, "xdp", json_string(word_xdps[up->xdp]));
	if (up->given & W_ATTACH)
		json_object_set_new(o, "attach", json_string(word_attaches[up->attach]));
	if (up->given & W_MAX_ENDPOINTS)
		json_object_set_new(o, "max_endpoints", json_integer(up->max_endpoints));
	if (up->given & W_MAX_TENANTS)
		json_object_set_new(o, "max_tenants", json_integer(up->max_tenants));
	json_decref(devs);
	return o;
}

/* The one that was given first, then the other. */
static json_t *vteps(const struct state_host *host)
{
	const enum tsw_family first = host->preferred == TSW_IPV6 ? TSW_IPV6 : TSW_IPV4;
	const enum tsw_family order[] = {first, first == TSW_IPV4 ? TSW_IPV6 : TSW_IPV4};
	json_t *list = json_array();
	int i;

	for (i = 0; i < TSW_FAMILIES; i++)
		if (!addr_is_none(&host->addr[order[i]]))
			json_array_append_new(list, json_string(addr_text(&host->addr[order[i]])));
	return list;
}

json_t *state_host_json(const struct state *s, __u32 i)
{
	return json_pack("{s:o, s:o}", "name", json_text(s->host[i].name.s), "ip",
			 vteps(&s->host[i]));
}

json_t *state_tenant_json(const struct state *s, __u32 i)
{
	const struct state_tenant *tenant = &s->tenant[i];
	json_t *o = json_pack("{s:o, s:I, s:s, s:b}", "name", json_text(tenant->name.s), "id",
			      (json_int_t)tenant->id, "encap", encap_text(tenant->encap),
			      "broadcast", tenant->broadcast);

	if (tenant->mtu)
		json_object_set_new(o, "mtu", json_integer(tenant->mtu));
	limits_json(&tenant->limits, o);
	if (tenant->limits.connections)
		json_object_set_new(o, "connections", json_integer(tenant->limits.connections));
	if (tenant->limits.half_open)
		json_object_set_new(o, "half_open", json_integer(tenant->limits.half_open));
	return o;
}

json_t *state_gateway_json(const struct state *s, __u32 i)
{
	const struct state_gateway *gw = &s->tenant[i].gateway;
	json_t *ips = json_array(), *snat = json_array(), *o;
	__u32 k;

	for (k = 0; k < gw->n_addrs; k++)
		json_array_append_new(ips, json_string(prefix_text(&gw->addr[k])));
	for (k = 0; k < TSW_FAMILIES; k++)
		if (!addr_is_none(&gw->snat[k]))
			json_array_append_new(snat, json_string(addr_text(&gw->snat[k])));
	o = json_pack("{s:o, s:s, s:b, s:o}", "ip", ips, "mac", mac_text(&gw->mac), "nat", gw->nat,
		      "snat", snat);
	if (gw->host != STATE_NONE)
		json_object_set_new(o, "host", json_text(s->host[gw->host].name.s));
	if (gw->pending)
		json_object_set_new(o, "pending", json_true());
	return o;
}

json_t *state_endpoint_json(const struct state *s, __u32 i)
{
	const struct state_endpoint *ep = &s->endpoint[i];
	json_t *ips = json_array(), *o;
	__u32 k;

	for (k = 0; k < ep->n_ip; k++)
		json_array_append_new(ips, json_string(addr_text(&s->ip[ep->first_ip + k])));
	o = json_pack("{s:o, s:s, s:o, s:o}", "name", json_text(ep->name.s), "mac",
		      mac_text(&ep->mac), "ip", ips, "host", json_text(s->host[ep->host].name.s));
	if (ep->dev[0])
		json_object_set_new(o, "dev", json_text(ep->dev));
	limits_json(&ep->limits, o);
	if (ep->pending)
		json_object_set_new(o, "pending", json_true());
	return o;
}

json_t *state_publish_json(const struct state *s, __u32 i)
{
	const struct state_publish *p = &s->publish[i];
	json_t *o = json_pack("{s:s, s:i, s:s}", "proto", proto_text(p->key.proto), "port",
			      (int)p->key.port, "to", publish_target_text(&p->to));

	if (p->host != STATE_NONE)
		json_object_set_new(o, "host", json_text(s->host[p->host].name.s));
	return o;
}

json_t *state_peer_json(const struct state *s, __u32 i)
{
	const struct state_peer *peer = &s->peer[i];
	json_t *o = json_pack("{s:o, s:o}", "tenant", json_text(s->tenant[peer->tenant].name.s),
			      "with", json_text(s->tenant[peer->with].name.s));
	json_t *prefixes = json_array();
	__u32 k;

	if (peer->half.port) {
		json_object_set_new(o, "proto", json_string(proto_text(peer->half.proto)));
		json_object_set_new(o, "port", json_integer(peer->half.port));
	}
	for (k = 0; k < peer->half.n_prefixes; k++)
		json_array_append_new(prefixes, json_string(prefix_text(&peer->half.prefix[k])));
	if (peer->half.n_prefixes)
		json_object_set(o, "prefix", prefixes);
	json_decref(prefixes);
	return o;
}
