// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/text.h"
#include "cni/ports.h"
#include "plug/json.h"

static int bad(struct cni *c, const char *key, const char *text)
{
	return cni_code(c, CNI_BAD_FIELD,
			misuse("portMappings: %s %s is not supported", key, quoted(text)));
}

/* Kubernetes writes the port 0 of the host for "none", which differs from a missing one. */
static int read_port(struct cni *c, const json_t *item, const char *key, __u32 least, __u32 *port)
{
	json_int_t n;
	int err = cni_number(c, item, key, &n);

	if (!err && (n < least || n > 65535 || !plug_find(item, key)))
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
	err = err ?: read_port(c, item, "hostPort", 0, &spec->port);
	err = err ?: read_port(c, item, "containerPort", 1, &spec->to.port);
	if (err)
		return err;
	if (ip && *ip && strcmp(ip, "0.0.0.0") && strcmp(ip, "::"))
		return bad(c, "hostIP", ip);
	spec->proto = proto && !strcasecmp(proto, "udp") ? TSW_PROTO_UDP : TSW_PROTO_TCP;
	return proto && strcasecmp(proto, "udp") && strcasecmp(proto, "tcp")
		       ? bad(c, "protocol", proto)
		       : 0;
}

/* nerdctl and podman may give one port twice, for 0.0.0.0 and for "::". */
static bool is_repeated(struct cni *c, const json_t *ports, size_t i,
			const struct tsw_publish_spec *spec)
{
	struct tsw_publish_spec other;

	while (i--)
		if (!read_one(c, json_array_get(ports, i), &other) && other.port == spec->port &&
		    other.proto == spec->proto && other.to.port == spec->to.port)
			return true;
	return false;
}

/* Calls EACH for the ports to publish. */
static int each_port(struct cni *c, const json_t *ports,
		     int (*each)(void *context, const struct tsw_publish_spec *spec), void *context)
{
	struct tsw_publish_spec spec;
	const json_t *item;
	size_t i;
	int err = 0;

	json_array_foreach(ports, i, item) {
		err = err ?: read_one(c, item, &spec);
		if (!err && spec.port && !is_repeated(c, ports, i, &spec))
			err = each(context, &spec);
	}
	return err;
}

static int count(void *n, const struct tsw_publish_spec *spec)
{
	(void)spec;
	++*(unsigned int *)n;
	return 0;
}

int ports_check(struct cni *c, const json_t *ports, const struct tenancy *tenancy)
{
	unsigned int n = 0;
	int err = each_port(c, ports, count, &n);

	return err || !n ? err
			 : cni_code(c, CNI_BAD_CONFIG, tenancy_publishes(tenancy, "portMappings"));
}

struct publishing {
	struct cni *c;
	struct world *w;
	const struct dress *dress;
};

static int publish(void *context, const struct tsw_publish_spec *spec)
{
	const struct publishing *p = context;

	return world_publish(p->w, &p->c->tenant, spec, p->dress);
}

int ports_publish(struct cni *c, struct world *w, const json_t *ports, const struct dress *dress)
{
	return each_port(c, ports, publish, &(struct publishing){c, w, dress});
}
