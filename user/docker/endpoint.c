// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "docker/docker.h"
#include "kernel/link.h"
#include "plug/json.h"
#include "plug/names.h"
#include "record/choice.h"
#include "record/fields.h"

/* ---- CreateEndpoint --------------------------------------------------------------- */

struct creating {
	struct docker_context *p;
	const char *id;
	const json_t *options;
	struct tsw_mac mac;
	__u32 mtu;
	bool chooses_mac, chooses_ip;
	bool device, endpoint; /* already made; removed if the rest fails */
};

static int read_address(const json_t *interface, const char *key, struct dress *dress)
{
	const char *text;
	int err = plug_text(interface, key, &text);

	if (err || !text || !*text)
		return err;
	err = parse_interface(text, &dress->ip[dress->n_ip++].at);
	if (err)
		fail_where("%s: ", key);
	return err;
}

/* Reads what Docker or an IPAM driver chose, and chooses a missing MAC. */
static int read_interface(const json_t *body, struct creating *c)
{
	const json_t *interface;
	const char *mac;
	int err = plug_object(body, "Interface", &interface);

	err = err ?: read_address(interface, "Address", &c->p->dress);
	err = err ?: read_address(interface, "AddressIPv6", &c->p->dress);
	err = err ?: plug_text(interface, "MacAddress", &mac);
	if (err)
		return err;
	c->chooses_ip = !c->p->dress.n_ip;
	c->chooses_mac = !mac || !*mac;
	if (!c->chooses_mac)
		return parse_mac(mac, &c->mac);
	if (c->chooses_ip)
		return choice_mac(&c->mac);
	c->mac = name_mac(&c->p->dress.ip[0].at.addr);
	return 0;
}

/* Checks everything that can be refused before anything is made. */
static int prepare(const json_t *body, struct creating *c)
{
	struct docker_options *o = &c->p->n.options;
	int err = plug_object(body, "Options", &c->options);

	err = err ?: docker_options_read(c->options, DOCKER_ENDPOINT, o);
	err = err ?: given_check(&o->spec.name, c->p->names.network);
	err = err ?: read_interface(body, c);
	err = err ?: world_tenant(&c->p->w, &o->tenant, &c->p->tenancy);
	err = err ?: world_groups(&c->p->w, &c->p->tenancy, &o->spec.group);
	c->mtu = o->mtu;
	err = err ?: tenancy_mtu(&c->p->tenancy, &c->mtu);
	err = err ?: docker_check_ports(c->options);
	return err || !c->chooses_ip ? err : docker_choose(c->p);
}

/* Makes both ends in the host's namespace; Docker moves the container's end. */
static int make_device(struct creating *c)
{
	const struct docker_names *names = &c->p->names;
	const struct device device = {.kind = c->p->n.options.device,
				      .dev = names->dev,
				      .alias = names->own_alias,
				      .netns = -1,
				      .ifname = names->inside,
				      .mac = c->mac,
				      .mtu = c->mtu};
	int err = device_make(&device);

	c->device = !err;
	return err;
}

static int make_endpoint(struct creating *c)
{
	const struct docker_options *o = &c->p->n.options;
	const struct dress *dress = &c->p->dress;
	struct tsw_endpoint_spec spec = o->spec, got;
	const __u64 given = o->given | FIELD(ENDPOINT_NAME) | FIELD(ENDPOINT_TENANT) |
			    FIELD(ENDPOINT_MAC) | FIELD(ENDPOINT_DEV) | FIELD(ENDPOINT_IP);
	int err;

	c->p->given.name = o->spec.name;
	spec.tenant = o->tenant;
	spec.mac = c->mac;
	memcpy(spec.dev, c->p->names.dev, sizeof(spec.dev));
	for (; spec.ip.n < dress->n_ip; spec.ip.n++)
		spec.ip.at[spec.ip.n] = dress->ip[spec.ip.n].at.addr;
	err = given_add(&c->p->given, &c->p->w, &spec, given, &got);
	c->endpoint = !err;
	return err;
}

/* Answers only with what we chose, because Docker refuses values that it has sent itself. */
static void tell(const struct creating *c, json_t **answer)
{
	static const char *const keys[] = {"Address", "AddressIPv6"};
	json_t *interface = json_object();
	unsigned int i;

	for (i = 0; c->chooses_ip && i < c->p->dress.n_ip; i++) {
		const struct tsw_prefix *at = &c->p->dress.ip[i].at;

		json_object_set_new(interface, keys[!addr_is_v4(&at->addr)],
				    json_string(prefix_text(at)));
	}
	if (c->chooses_mac)
		json_object_set_new(interface, "MacAddress", json_string(mac_text(&c->mac)));
	*answer = json_pack("{s:o}", "Interface", interface);
}

/* Removes what was made, in the order of DeleteEndpoint, which removes later what stays now. */
static void undo(struct creating *c)
{
	const struct failure why = *failure();

	if (c->endpoint)
		given_del(&c->p->given, &c->p->w, &c->p->n.options.tenant);
	if (c->device)
		device_remove(c->p->names.dev, c->p->names.own_alias);
	fail_again(&why);
}

int docker_create_endpoint(const json_t *body, json_t **answer)
{
	struct docker_context p;
	struct creating c = {.p = &p};
	const char *network;
	int err = docker_context_open(body, DOCKER_ENDPOINT, false, &p);

	err = err ?: docker_ids(body, &network, &c.id);
	err = err ?: prepare(body, &c);
	err = err ?: make_device(&c);
	err = err ?: make_endpoint(&c);
	if (err) {
		undo(&c);
	} else {
		docker_warn_ports(c.options, &p);
		tell(&c, answer);
	}
	docker_context_close(&p);
	return err;
}

/* ---- DeleteEndpoint --------------------------------------------------------------- */

/* Removes the device also if the store does not answer: the container must lose its interface. */
int docker_delete_endpoint(const json_t *body, json_t **answer)
{
	struct docker_context p;
	struct failure why;
	int err = docker_context_open(body, DOCKER_ENDPOINT, true, &p), last;

	(void)answer;
	if (!err && !device_is_foreign(p.names.dev, p.names.own_alias))
		err = given_del(&p.given, &p.w, &p.n.options.tenant);
	why = *failure();
	last = *p.names.dev ? device_remove(p.names.dev, p.names.own_alias) : 0;
	if (err)
		fail_again(&why);
	docker_context_close(&p);
	return err ?: last;
}

/* ---- Join, EndpointOperInfo ------------------------------------------------------- */

/*
 * Docker makes the routes. Without DisableGatewayService, and without a gateway, it would give the
 * container another interface to a bridge of the host, which is a way out of the tenant.
 */
int docker_join(const json_t *body, json_t **answer)
{
	static const char *const keys[] = {"Gateway", "GatewayIPv6"};
	struct docker_context p;
	json_t *routes = NULL;
	struct link unused;
	unsigned int i;
	int err = docker_context_open(body, DOCKER_ENDPOINT, false, &p);

	err = err ?: docker_context_load(&p);
	err = err ?: link_by_name(p.names.inside, &unused);
	err = err ?: docker_server_routes(&p, body, &routes);
	docker_context_close(&p);
	if (err)
		return err;
	*answer = json_pack("{s:{s:s, s:s}, s:b}", "InterfaceName", "SrcName", p.names.inside,
			    "DstPrefix", "eth", "DisableGatewayService", 1);
	for (i = 0; i < p.dress.n_ip; i++) {
		const struct dress_ip *ip = &p.dress.ip[i];

		if (!addr_is_none(&ip->gateway))
			json_object_set_new(*answer, keys[!addr_is_v4(&ip->at.addr)],
					    json_string(addr_text(&ip->gateway)));
	}
	if (json_array_size(routes))
		json_object_set(*answer, "StaticRoutes", routes);
	json_decref(routes);
	return 0;
}

int docker_info(const json_t *body, json_t **answer)
{
	const char *network, *endpoint;
	int err = docker_ids(body, &network, &endpoint);

	if (!err)
		*answer = json_pack("{s:{}}", "Value");
	return err;
}
