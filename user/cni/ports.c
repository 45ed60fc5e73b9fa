// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "cni/ports.h"

static int bad(struct cni *c, const char *key, const char *text)
{
	return cni_code(c, CNI_BAD_FIELD,
			misuse("portMappings: %s %s is not supported", key, quoted(text)));
}

static int read_port(struct cni *c, const json_t *item, const char *key, __u32 *port)
{
	json_int_t n;
	int err = cni_number(c, item, key, &n);

	if (!err && (n < 1 || n > 65535))
		err = cni_code(c, CNI_BAD_CONFIG,
			       misuse("portMappings: %s: %lld is not a port", key, (long long)n));
	*port = (__u32)n;
	return err;
}

static int read_one(struct cni *c, const json_t *item, struct tsw_publish_spec *spec)
{
	const char *proto, *ip;
	int err = cni_text(c, item, "protocol", &proto);

	*spec = (struct tsw_publish_spec){};
	err = err ?: cni_text(c, item, "hostIP", &ip);
	err = err ?: read_port(c, item, "hostPort", &spec->port);
	err = err ?: read_port(c, item, "containerPort", &spec->to.port);
	if (err)
		return err;
	if (ip && *ip && strcmp(ip, "0.0.0.0") && strcmp(ip, "::"))
		return bad(c, "hostIP", ip);
	spec->proto = proto && !strcasecmp(proto, "udp") ? TSW_PROTO_UDP : TSW_PROTO_TCP;
	return proto && strcasecmp(proto, "udp") && strcasecmp(proto, "tcp")
		       ? bad(c, "protocol", proto)
		       : 0;
}

int ports_check(struct cni *c, const json_t *ports, const struct tenancy *tenancy)
{
	struct tsw_publish_spec unused;
	const json_t *item;
	size_t i;
	int err = 0;

	json_array_foreach(ports, i, item) {
		err = err ?: read_one(c, item, &unused);
	}
	if (err || !json_array_size(ports))
		return err;
	return cni_code(c, CNI_BAD_CONFIG, tenancy_publishes(tenancy, "portMappings"));
}

int ports_publish(struct cni *c, struct world *w, const json_t *ports, const struct dress *dress)
{
	struct tsw_publish_spec spec;
	const json_t *item;
	size_t i;
	int err = 0;

	json_array_foreach(ports, i, item) {
		err = err ?: read_one(c, item, &spec);
		err = err ?: world_publish(w, &c->tenant, &spec, dress);
	}
	return err;
}
