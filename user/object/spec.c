// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "object/host.h"
#include "object/peer.h"
#include "object/publish.h"
#include "object/spec.h"

int spec_check_host(const struct tsw_name *name)
{
	if (strcmp(name->s, NO_HOST))
		return 0;
	return misuse("%s cannot be a host's name: it stands for no host", quoted(name->s));
}

int spec_host(struct tsw *t, const struct tsw_host_spec *spec, __u64 given, enum spec_how how)
{
	struct tsw_host host = {};
	__u32 id;
	int err = how == SPEC_SET ? host_find(t, &spec->name, &id, &host) : 0;

	if (err)
		return err;
	memcpy(host.name, spec->name.s, sizeof(host.name));
	if (given & FIELD(HOST_IP)) {
		host.preferred = spec->ip.preferred;
		memcpy(host.addr, spec->ip.of, sizeof(host.addr));
	}
	if (given & FIELD(HOST_ZONE))
		memcpy(host.zone, spec->zone.s, sizeof(host.zone));
	switch (how) {
	case SPEC_ADD:
		return host_add(t, &host);
	case SPEC_PUT:
		return host_replace(t, &host);
	default:
		return host_set(t, &host);
	}
}

int spec_publish(struct tsw *t, const struct tsw_name *tenant, const struct tsw_publish_spec *spec,
		 bool del)
{
	const struct publish publish = {
		.key = {.family = (__u16)addr_family(&spec->to.addr),
			.proto = proto_number(spec->proto),
			.port = spec->port},
		.to = {.port = (__u16)spec->to.port, .addr = spec->to.addr},
	};

	return del ? publish_del(t, tenant, &publish) : publish_add(t, tenant, &publish);
}

int spec_check_peer(__u64 given)
{
	if (!(given & PEER_SERVICE) || !(~given & PEER_SERVICE))
		return 0;
	return misuse("proto and port go together: give both, or neither for all");
}

int spec_peer(struct tsw *t, const struct tsw_peer_spec *spec)
{
	struct tsw_peer half = {.port = (__u16)spec->port,
				.proto = spec->port ? proto_number(spec->proto) : 0,
				.n_prefixes = spec->prefix.n};

	memcpy(half.prefix, spec->prefix.at, sizeof(half.prefix));
	return peer_add(t, &spec->tenant, &spec->with, &half);
}
