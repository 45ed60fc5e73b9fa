// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "base/err.h"
#include "object/gateway.h"
#include "base/parse.h"
#include "state/state.h"
#include "state/state_read_tenant.h"
#include "object/tenant.h"
#include "base/text.h"
#include "base/spell.h"
#include "record/endpoint_find.h"
#include "record/limits.h"
#include "record/tenant_find.h"
#include "cli/words.h"

#define LIMIT_FIELDS(type, limits)                                                                  \
	{"rate_out", false, json_read_number64, offsetof(type, limits.rate[TSW_WAY_OUT]), RATE_MIN, \
	 RATE_MAX,   NULL},                                                                         \
		{"rate_in",                                                                         \
		 false,                                                                             \
		 json_read_number64,                                                                \
		 offsetof(type, limits.rate[TSW_WAY_IN]),                                           \
		 RATE_MIN,                                                                          \
		 RATE_MAX,                                                                          \
		 NULL},                                                                             \
	{                                                                                           \
		"burst", false, json_read_number, offsetof(type, limits.burst), 1, 0xffffffffU,     \
			NULL                                                                        \
	}

static int check_limits(const struct limits *limits, const struct json_at *at)
{
	if (!limits->burst || limits->rate[TSW_WAY_OUT] || limits->rate[TSW_WAY_IN])
		return 0;
	misuse("burst %u goes with a rate: give rate_out or rate_in", limits->burst);
	return json_where(at);
}

/* What refers to a host by its name. */
struct host_ref {
	const struct state *s;
	__u32 host;
};

static int read_host_ref(const json_t *value, const struct json_at *at, const struct json_field *f,
			 void *to)
{
	struct host_ref *ref = to;
	struct tsw_name name;
	int err = json_read_name(value, at, f, &name);

	if (err)
		return err;
	ref->host = state_find_host(ref->s, name.s);
	if (ref->host != STATE_NONE)
		return 0;
	misuse("%s is none of the hosts", quoted(name.s));
	return json_where(at);
}

/* ---- endpoints -------------------------------------------------------------------- */

struct raw_endpoint {
	struct state *s;
	struct host_ref host;
	struct state_endpoint ep;
};

static int read_ip(const json_t *value, const struct json_at *at, const struct json_field *f,
		   void *to)
{
	struct raw_endpoint *raw = to;
	struct tsw_addr *addr;
	const char *text;
	int err = json_read_text(value, at, &text);

	(void)f;
	if (err)
		return err;
	if (raw->ep.n_ip == ENDPOINT_IPS) {
		misuse("%s is one address too many: at most %d", quoted(text), ENDPOINT_IPS);
		return json_where(at);
	}
	addr = state_grow(&raw->s->ip, &raw->s->n_ips, sizeof(*addr));
	if (!addr)
		return -ENOMEM;
	raw->ep.n_ip++;
	return parse_ip(text, addr) ? json_where(at) : 0;
}

static int read_ips(const json_t *value, const struct json_at *at, const struct json_field *f,
		    void *to)
{
	(void)f;
	return json_read_list(value, at, read_ip, to);
}

#define EP(field) offsetof(struct raw_endpoint, field)

static const struct json_field endpoint_fields[] = {
	{"name", true, json_read_name, EP(ep.name), 0, 0, NULL},
	{"mac", true, json_read_mac, EP(ep.mac), 0, 0, NULL},
	{"ip", false, read_ips, 0, 0, 0, NULL},
	{"host", true, read_host_ref, EP(host), 0, 0, NULL},
	{"dev", false, json_read_device, EP(ep.dev), 0, 0, NULL},
	LIMIT_FIELDS(struct raw_endpoint, ep.limits),
	{},
};

static int read_endpoint(const json_t *value, const struct json_at *at, const struct json_field *f,
			 void *to)
{
	struct state *s = to;
	struct raw_endpoint raw = {.s = s, .host.s = s};
	struct state_endpoint *ep;
	int err;

	(void)f;
	raw.ep.tenant = (__u32)s->n_tenants - 1;
	raw.ep.at = (__u32)at->index;
	raw.ep.first_ip = s->n_ips;
	err = json_read_object(value, at, endpoint_fields, &raw);
	if (!err)
		err = check_limits(&raw.ep.limits, at);
	if (err)
		return err;
	raw.ep.host = raw.host.host;
	ep = state_grow(&s->endpoint, &s->n_endpoints, sizeof(*ep));
	if (!ep)
		return -ENOMEM;
	*ep = raw.ep;
	return 0;
}

/* ---- gateways --------------------------------------------------------------------- */

struct raw_gateway {
	struct host_ref host;
	struct state_gateway gw;
};

static int read_cidr(const json_t *value, const struct json_at *at, const struct json_field *f,
		     void *to)
{
	struct state_gateway *gw = to;
	const char *text;
	int err = json_read_text(value, at, &text);

	(void)f;
	if (err)
		return err;
	if (gw->n_addrs == TSW_GATEWAY_ADDRS)
		misuse("%s is one address too many: a gateway has at most %d", quoted(text),
		       TSW_GATEWAY_ADDRS);
	else if (!parse_interface(text, &gw->addr[gw->n_addrs])) {
		gw->n_addrs++;
		return 0;
	}
	return json_where(at);
}

static int read_cidrs(const json_t *value, const struct json_at *at, const struct json_field *f,
		      void *to)
{
	(void)f;
	if (json_is_array(value) && !json_array_size(value)) {
		misuse("a gateway needs an address");
		return json_where(at);
	}
	return json_read_list(value, at, read_cidr, to);
}

static int read_snat(const json_t *value, const struct json_at *at, const struct json_field *f,
		     void *to)
{
	struct state_gateway *gw = to;
	struct tsw_addr addr;
	const char *text;
	int err = json_read_text(value, at, &text);

	(void)f;
	if (err)
		return err;
	if (parse_ip(text, &addr))
		return json_where(at);
	if (addr_is_link_local(&addr))
		misuse("%s is a link-local address, which no answer finds from elsewhere",
		       quoted(text));
	else if (!addr_is_none(&gw->snat[addr_family(&addr)]))
		misuse("%s is a second %s address: there is one of each family", quoted(text),
		       family_text(addr_family(&addr)));
	else {
		gw->snat[addr_family(&addr)] = addr;
		return 0;
	}
	return json_where(at);
}

static int read_snats(const json_t *value, const struct json_at *at, const struct json_field *f,
		      void *to)
{
	(void)f;
	return json_read_list(value, at, read_snat, to);
}

#define GW(field) offsetof(struct raw_gateway, field)

static const struct json_field gateway_fields[] = {
	{"ip", true, read_cidrs, GW(gw), 0, 0, NULL},
	{"mac", false, json_read_mac, GW(gw.mac), 0, 0, NULL},
	{"host", false, read_host_ref, GW(host), 0, 0, NULL},
	{"nat", false, json_read_bool, GW(gw.nat), 0, 0, NULL},
	{"snat", false, read_snats, GW(gw), 0, 0, NULL},
	{},
};

static int read_gateway(const json_t *value, const struct json_at *at, const struct json_field *f,
			void *to)
{
	struct state *s = to;
	struct state_tenant *tenant = &s->tenant[s->n_tenants - 1];
	struct raw_gateway raw = {.host = {s, STATE_NONE}, .gw.nat = true};
	int err, family;

	(void)f;
	raw.gw.mac = gateway_mac(tenant->id);
	err = json_read_object(value, at, gateway_fields, &raw);
	if (err)
		return err;
	raw.gw.host = raw.host.host;
	tenant->gateway = raw.gw;
	tenant->has_gateway = true;
	for (family = 0; !raw.gw.nat && family < TSW_FAMILIES; family++)
		if (!addr_is_none(&raw.gw.snat[family])) {
			misuse("without nat the tenant does not leave as %s",
			       addr_text(&raw.gw.snat[family]));
			return json_where(at);
		}
	return 0;
}

/* ---- published ports -------------------------------------------------------------- */

struct raw_publish {
	struct host_ref host;
	__u32 proto; /* PROTO_* */
	__u32 port;
	struct target to;
};

#define PUBLISH(field) offsetof(struct raw_publish, field)

static const struct json_field publish_fields[] = {
	{"proto", true, json_read_choice, PUBLISH(proto), 0, 0, word_protos},
	{"port", true, json_read_number, PUBLISH(port), 1, 65535, NULL},
	{"to", true, json_read_target, PUBLISH(to), 0, 0, NULL},
	{"host", false, read_host_ref, PUBLISH(host), 0, 0, NULL},
	{},
};

static __u8 ip_proto(__u32 proto)
{
	return proto == PROTO_UDP ? IPPROTO_UDP : IPPROTO_TCP;
}

static int read_publish(const json_t *value, const struct json_at *at, const struct json_field *f,
			void *to)
{
	struct state *s = to;
	struct raw_publish raw = {.host = {s, STATE_NONE}};
	struct state_publish *p;
	int err = json_read_object(value, at, publish_fields, &raw);

	(void)f;
	if (err)
		return err;
	p = state_grow(&s->publish, &s->n_publishes, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->tenant = (__u32)s->n_tenants - 1;
	p->at = (__u32)at->index;
	p->host = raw.host.host;
	p->key.family = (__u16)addr_family(&raw.to.addr);
	p->key.proto = ip_proto(raw.proto);
	p->key.port = raw.port;
	p->to.port = (__u16)raw.to.port;
	p->to.addr = raw.to.addr;
	return 0;
}

/* ---- tenants ---------------------------------------------------------------------- */

static const struct json_field tenant_fields[] = {
	{"name", true, json_read_name, offsetof(struct state_tenant, name), 0, 0, NULL},
	{"id", true, json_read_number, offsetof(struct state_tenant, id), 1, 0xffffffffU, NULL},
	{"encap", false, json_read_choice, offsetof(struct state_tenant, encap), 0, 0, word_encaps},
	{"mtu", false, json_read_number, offsetof(struct state_tenant, mtu), 0, MTU_MAX, NULL},
	{"broadcast", false, json_read_bool, offsetof(struct state_tenant, broadcast), 0, 0, NULL},
	LIMIT_FIELDS(struct state_tenant, limits),
	{"connections", false, json_read_number, offsetof(struct state_tenant, limits.connections),
	 1, TSW_FAIR_NONE, NULL},
	{"half_open", false, json_read_number, offsetof(struct state_tenant, limits.half_open), 1,
	 TSW_FAIR_NONE, NULL},
	{"gateway", false, json_skip, 0, 0, 0, NULL},
	{"endpoints", false, json_skip, 0, 0, 0, NULL},
	{"publish", false, json_skip, 0, 0, 0, NULL},
	{},
};

static int check_tenant(const struct state_tenant *tenant, const struct json_at *at)
{
	const struct json_at id = {.up = at, .key = "id"}, mtu = {.up = at, .key = "mtu"};

	if (tenant->id > tenant_id_max(tenant->encap)) {
		misuse("%u is more than a VNI can be, which is %u", tenant->id, TSW_VNI_MAX);
		return json_where(&id);
	}
	if (tenant->mtu && tenant->mtu < MTU_MIN) {
		misuse("%u is not a number from %d to %d, or 0", tenant->mtu, MTU_MIN, MTU_MAX);
		return json_where(&mtu);
	}
	return check_limits(&tenant->limits, at);
}

/* Behind the tenant itself, in the state where they belong. */
static int read_parts(const json_t *value, const struct json_at *at, struct state *s)
{
	const struct json_at gateway = {.up = at, .key = "gateway"};
	const struct json_at endpoints = {.up = at, .key = "endpoints"};
	const struct json_at publish = {.up = at, .key = "publish"};
	const json_t *part = json_object_get(value, "gateway");
	int err = part ? read_gateway(part, &gateway, NULL, s) : 0;

	part = json_object_get(value, "endpoints");
	if (!err && part)
		err = json_read_list(part, &endpoints, read_endpoint, s);
	part = json_object_get(value, "publish");
	if (!err && part)
		err = json_read_list(part, &publish, read_publish, s);
	return err;
}

int state_read_tenant(const json_t *value, const struct json_at *at, const struct json_field *f,
		      void *to)
{
	struct state *s = to;
	struct state_tenant *tenant = state_grow(&s->tenant, &s->n_tenants, sizeof(*tenant));
	int err;

	(void)f;
	if (!tenant)
		return -ENOMEM;
	tenant->at = (__u32)at->index;
	tenant->broadcast = true;
	err = json_read_object(value, at, tenant_fields, tenant);
	if (!err)
		err = check_tenant(tenant, at);
	return err ? err : read_parts(value, at, s);
}

/* ---- peerings --------------------------------------------------------------------- */

struct raw_peer {
	const struct state *s;
	__u32 tenant;
	__u32 with;
	__u32 proto; /* PROTO_*, or PROTO_ALL */
	__u32 port;
	struct tsw_peer half;
};

enum { PROTO_ALL = PROTO_UDP + 1 };

static int find_tenant(const struct state *s, const json_t *value, const struct json_at *at,
		       __u32 *tenant)
{
	struct tsw_name name;
	int err = json_read_name(value, at, NULL, &name);

	if (err)
		return err;
	*tenant = state_find_tenant(s, name.s);
	if (*tenant != STATE_NONE)
		return 0;
	misuse("%s is none of the tenants", quoted(name.s));
	return json_where(at);
}

static int read_of(const json_t *value, const struct json_at *at, const struct json_field *f,
		   void *to)
{
	struct raw_peer *raw = to;

	(void)f;
	return find_tenant(raw->s, value, at, &raw->tenant);
}

static int read_with(const json_t *value, const struct json_at *at, const struct json_field *f,
		     void *to)
{
	struct raw_peer *raw = to;

	(void)f;
	return find_tenant(raw->s, value, at, &raw->with);
}

static int read_prefix(const json_t *value, const struct json_at *at, const struct json_field *f,
		       void *to)
{
	struct tsw_peer *half = to;
	struct tsw_prefix network;
	const char *text;
	__u32 i;
	int err = json_read_text(value, at, &text);

	(void)f;
	if (err)
		return err;
	if (parse_network(text, &network))
		return json_where(at);
	for (i = 0; i < half->n_prefixes; i++)
		if (prefix_overlap(&half->prefix[i], &network)) {
			misuse("%s overlaps %s, which is given too", quoted(text),
			       prefix_text(&half->prefix[i]));
			return json_where(at);
		}
	if (half->n_prefixes == TSW_GATEWAY_ADDRS) {
		misuse("%s is one prefix too many: at most %d", quoted(text), TSW_GATEWAY_ADDRS);
		return json_where(at);
	}
	half->prefix[half->n_prefixes++] = network;
	return 0;
}

static int read_prefixes(const json_t *value, const struct json_at *at, const struct json_field *f,
			 void *to)
{
	(void)f;
	return json_read_list(value, at, read_prefix, to);
}

#define PEER(field) offsetof(struct raw_peer, field)

static const struct json_field peer_fields[] = {
	{"tenant", true, read_of, 0, 0, 0, NULL},
	{"with", true, read_with, 0, 0, 0, NULL},
	{"proto", false, json_read_choice, PEER(proto), 0, 0, word_protos},
	{"port", false, json_read_number, PEER(port), 1, 65535, NULL},
	{"prefix", false, read_prefixes, PEER(half), 0, 0, NULL},
	{},
};

int state_read_peer(const json_t *value, const struct json_at *at, const struct json_field *f,
		    void *to)
{
	struct state *s = to;
	struct raw_peer raw = {.s = s, .proto = PROTO_ALL};
	struct state_peer *peer;
	int err = json_read_object(value, at, peer_fields, &raw);

	(void)f;
	if (!err && (raw.proto == PROTO_ALL) != !raw.port) {
		misuse("proto and port go together: give both, or neither for all");
		err = json_where(at);
	}
	if (err)
		return err;
	peer = state_grow(&s->peer, &s->n_peers, sizeof(*peer));
	if (!peer)
		return -ENOMEM;
	raw.half.proto = raw.port ? ip_proto(raw.proto) : 0;
	raw.half.port = (__u16)raw.port;
	*peer = (struct state_peer){raw.tenant, raw.with, (__u32)at->index, raw.half};
	return 0;
}
