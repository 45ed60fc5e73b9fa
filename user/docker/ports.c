// SPDX-License-Identifier: GPL-2.0-only
/* Published ports. Docker opens and closes them with the gateway, apart from the endpoint. */
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "docker/docker.h"
#include "plug/json.h"

/* By this option Docker says that another endpoint of the container has its IPv6 gateway. */
#define OTHER_HAS_IPV6 "com.docker.network.driver.private.no_proxy_6to4"

struct port {
	struct tsw_publish_spec spec;
	bool family[TSW_FAMILIES]; /* at the host's addresses of that family */
};

static int read_port(const json_t *item, const char *key, __u32 *port)
{
	json_int_t n;
	int err = plug_number(item, key, &n);

	*port = (__u32)n;
	return err || n <= 65535 ? err : misuse("%s: %lld is not a port", key, (long long)n);
}

/*
 * As with Docker's own bridges, `-p 8080:80` means both families, like `-p 0.0.0.0:8080:80` and
 * `-p [::]:8080:80` together.
 */
static int read_host(const json_t *item, struct port *port)
{
	const char *ip;
	int err = plug_text(item, "HostIP", &ip);

	if (err)
		return err;
	port->family[TSW_IPV4] = !ip || !*ip || !strcmp(ip, "0.0.0.0");
	port->family[TSW_IPV6] = !ip || !*ip || !strcmp(ip, "::");
	if (port->family[TSW_IPV4] || port->family[TSW_IPV6])
		return 0;
	return misuse("HostIP: %s is not supported: ports are published at all addresses of the "
		      "host",
		      quoted(ip));
}

/* Refuses ranges and missing host ports: Docker lets drivers choose, but not report the choice. */
static int read_ports(const json_t *item, struct tsw_publish_spec *spec)
{
	__u32 last;
	int err = read_port(item, "Port", &spec->to.port);

	err = err ?: read_port(item, "HostPort", &spec->port);
	err = err ?: read_port(item, "HostPortEnd", &last);
	if (err)
		return err;
	if (!spec->to.port)
		return misuse("Port: 0 is not a port");
	if (!spec->port)
		return misuse("port %u of the container needs a port of the host, such as -p "
			      "%u:%u",
			      spec->to.port, spec->to.port, spec->to.port);
	if (last && last != spec->port)
		return misuse("port %u of the container needs one port of the host, not %u-%u",
			      spec->to.port, spec->port, last);
	return 0;
}

static int read_one(const json_t *item, struct port *port)
{
	json_int_t proto;
	int err;

	*port = (struct port){};
	err = plug_number(item, "Proto", &proto);
	err = err ?: read_ports(item, &port->spec);
	err = err ?: read_host(item, port);
	if (err)
		return err;
	if (proto != IPPROTO_TCP && proto != IPPROTO_UDP)
		return misuse("Proto: %lld is neither TCP nor UDP", (long long)proto);
	port->spec.proto = proto == IPPROTO_UDP ? TSW_PROTO_UDP : TSW_PROTO_TCP;
	return 0;
}

static int list_of(const json_t *options, const json_t **list)
{
	return plug_list(options, "com.docker.network.portmap", list);
}

int docker_check_ports(const json_t *options)
{
	const json_t *list, *item;
	struct port unused;
	size_t i;
	int err = list_of(options, &list);

	if (err)
		return err;
	json_array_foreach(list, i, item) {
		err = err ?: read_one(item, &unused);
	}
	return err;
}

void docker_warn_ports(const json_t *options, const struct docker_context *p)
{
	const json_t *list;
	struct tsw_addr gateway;
	unsigned int i;

	if (list_of(options, &list) || !json_array_size(list))
		return;
	for (i = 0; i < p->dress.n_ip; i++) {
		gateway = tenancy_gateway(&p->tenancy, &p->dress.ip[i].at);
		if (!addr_is_none(&gateway))
			return;
	}
	fprintf(stderr,
		"tsw-docker: endpoint %s of tenant %s has no gateway: only another network of the "
		"container can publish its ports\n",
		quoted(given_name(&p->given)->s), quoted(p->n.options.tenant.s));
}

static int publish_one(struct docker_context *p, const struct port *port)
{
	struct dress dress = {};
	unsigned int i;

	for (i = 0; i < p->dress.n_ip; i++)
		if (port->family[addr_family(&p->dress.ip[i].at.addr)])
			dress.ip[dress.n_ip++] = p->dress.ip[i];
	return world_publish(&p->w, &p->n.options.tenant, &port->spec, &dress);
}

static int publish(struct docker_context *p, const json_t *options, const json_t *list)
{
	const bool other6 = json_is_true(json_object_get(options, OTHER_HAS_IPV6));
	const json_t *item;
	struct failure why;
	struct port port;
	size_t i;
	int err = 0;

	json_array_foreach(list, i, item) {
		err = read_one(item, &port);
		if (err)
			break;
		port.family[TSW_IPV6] &= !other6;
		err = publish_one(p, &port);
		if (err)
			break;
	}
	if (!err)
		return 0;
	why = *failure();
	given_unpublish(&p->given, &p->w, &p->n.options.tenant);
	return fail_again(&why);
}

/*
 * Docker 29 calls this again with all published ports of the container when the gateway of one
 * family moves to another endpoint.
 */
int docker_open_ports(const json_t *body, json_t **answer)
{
	struct docker_context p;
	const json_t *options, *list;
	int err = docker_context_open(body, DOCKER_ENDPOINT, false, &p);

	(void)answer;
	err = err ?: plug_object(body, "Options", &options);
	err = err ?: list_of(options, &list);
	if (!err && json_array_size(list)) {
		err = docker_context_load(&p);
		err = err ?: docker_check_ports(options);
		err = err ?: tenancy_publishes(&p.tenancy, "published ports");
		err = err ?: given_unpublish(&p.given, &p.w, &p.n.options.tenant);
		err = err ?: publish(&p, options, list);
	}
	docker_context_close(&p);
	return err;
}

int docker_close_ports(const json_t *body, json_t **answer)
{
	struct docker_context p;
	int err = docker_context_open(body, DOCKER_ENDPOINT, true, &p);

	(void)answer;
	err = err ?: given_unpublish(&p.given, &p.w, &p.n.options.tenant);
	docker_context_close(&p);
	return err;
}
