// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "object/host.h"
#include "object/peer.h"
#include "object/publish.h"
#include "object/spec.h"
#include "record/host_keys.h"
#include "record/hosts.h"

int spec_check_host(const struct tsw_name *name)
{
	if (strcmp(name->s, NO_HOST))
		return 0;
	return misuse("%s cannot be a host's name: it stands for no host", quoted(name->s));
}

/* Reads the keys of a host. A host that does not exist has an empty list. */
static int read_keys(const struct tsw *t, const struct tsw_name *name, struct tsw_key_list *list)
{
	struct tsw_host_keys keys;
	struct tsw_host host;
	__u32 id;
	int err = map_get(&t->maps, MAP_HOST_IDS, name, &id);

	*list = (struct tsw_key_list){};
	err = err ?: map_get(&t->maps, MAP_HOSTS, &id, &host);
	err = err ?: host_keys_get(t, id, &keys);
	if (!err)
		host_keys_list(&host, &keys, list);
	return err == -ENOENT ? 0 : err;
}

int spec_host(struct tsw *t, const struct tsw_host_spec *spec, __u64 given, enum spec_how how)
{
	const struct tsw_key_list *key = given & FIELD(HOST_KEY) ? &spec->key : NULL;
	struct tsw_host host = {};
	static const struct tsw_key_list none;
	struct tsw_key_list old;
	__u32 id;
	int err = how == SPEC_SET ? host_find(t, &spec->name, &id, &host) : 0;

	if (!err && how == SPEC_SET)
		err = host_mtu_get(t, id, &host.mtu);
	err = err ?: read_keys(t, &spec->name, &old);
	if (err)
		return err;
	memcpy(host.name, spec->name.s, sizeof(host.name));
	if (given & FIELD(HOST_IP)) {
		host.preferred = spec->ip.preferred;
		memcpy(host.addr, spec->ip.of, sizeof(host.addr));
	}
	if (given & FIELD(HOST_ZONE))
		memcpy(host.zone, spec->zone.s, sizeof(host.zone));
	if (given & FIELD(HOST_MTU))
		host.mtu = spec->mtu;
	switch (how) {
	case SPEC_ADD:
		return host_add(t, &host, key);
	case SPEC_PUT:
		err = host_replace(t, &host, key ? key : &none);
		break;
	default:
		err = host_set(t, &host, key);
	}
	return err || !key || key->n != 1 ? err : host_await_key(t, &spec->name, &old);
}

int spec_publish(struct tsw *t, const struct tsw_name *tenant, const struct tsw_publish_spec *spec,
		 bool del)
{
	const struct publish publish = publish_of(spec, false);

	return del ? publish_del(t, tenant, &publish) : publish_add(t, tenant, &publish);
}

int spec_check_peer(__u64 given)
{
	if (!(given & PEER_SERVICE) || !(~given & PEER_SERVICE))
		return 0;
	return misuse("proto and port go together: give both, or neither to allow all");
}

int spec_peer(struct tsw *t, const struct tsw_peer_spec *spec)
{
	struct tsw_peer half = {.port = (__u16)spec->port,
				.proto = spec->port ? proto_number(spec->proto) : 0,
				.n_prefixes = spec->prefix.n};

	memcpy(half.prefix, spec->prefix.at, sizeof(half.prefix));
	return peer_add(t, &spec->tenant, &spec->with, &half);
}
