// SPDX-License-Identifier: GPL-2.0-only
/* The backend of this host's switch. */
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "object/auto.h"
#include "object/endpoint.h"
#include "object/gateway.h"
#include "object/host.h"
#include "object/peer.h"
#include "object/policy_group.h"
#include "object/publish.h"
#include "object/spec.h"
#include "object/tenant.h"
#include "record/gateway_find.h"
#include "record/tenant_find.h"

static int find_endpoint(const struct tsw *t, const struct tsw_endpoint_spec *spec,
			 struct endpoint *ep)
{
	return endpoint_find(t, &spec->tenant, &spec->name, ep);
}

static int get_endpoint(const struct tsw *t, struct tsw_endpoint_spec *spec)
{
	struct endpoint ep;
	int err = find_endpoint(t, spec, &ep);

	return err ?: spec_get_endpoint(t, &ep, spec);
}

static int put_endpoint(struct tsw *t, struct tsw_endpoint_spec *spec, __u64 given,
			enum spec_how how)
{
	int err = spec_endpoint(t, spec, given, how);

	return !err && spec->automatic ? get_endpoint(t, spec) : err;
}

static int put(const struct backend *b, struct object *o, __u64 given, enum spec_how how)
{
	switch (o->kind) {
	case OBJECT_HOST:
		return spec_host(b->t, &o->spec.host, given, how);
	case OBJECT_TENANT:
		return spec_tenant(b->t, &o->spec.tenant, given, how);
	case OBJECT_GROUP:
		return policy_groups_add(b->t, &o->tenant, o->groups, o->n_groups);
	case OBJECT_ENDPOINT:
		return put_endpoint(b->t, &o->spec.endpoint, given, how);
	case OBJECT_GATEWAY:
		return spec_gateway(b->t, &o->tenant, &o->spec.gateway, given, how);
	case OBJECT_PUBLISH:
		return spec_publish(b->t, &o->tenant, &o->spec.publish, false);
	case OBJECT_PEER:
		return spec_peer(b->t, &o->spec.peer);
	default:
		return spec_policy(b->t, &o->tenant, &o->spec.policy, given, how);
	}
}

static int del_endpoint(struct tsw *t, const struct tsw_endpoint_spec *spec)
{
	struct endpoint ep;
	int err = find_endpoint(t, spec, &ep);

	return err ?: endpoint_del(t, &ep);
}

static int del_gateway(struct tsw *t, const struct tsw_name *tenant, bool force)
{
	struct tsw_gateway gw;
	__u32 id;
	int err = gateway_find(t, tenant, &id, &gw);

	return err ?: gateway_del(t, id, &gw, force);
}

static int del(const struct backend *b, struct object *o, bool force)
{
	switch (o->kind) {
	case OBJECT_HOST:
		return host_del(b->t, &o->spec.host.name, force);
	case OBJECT_TENANT:
		return tenant_del(b->t, &o->spec.tenant.name, force);
	case OBJECT_GROUP:
		return policy_group_del(b->t, &o->tenant, &o->spec.group);
	case OBJECT_ENDPOINT:
		return del_endpoint(b->t, &o->spec.endpoint);
	case OBJECT_GATEWAY:
		return del_gateway(b->t, &o->tenant, force);
	case OBJECT_PUBLISH:
		return spec_publish(b->t, &o->tenant, &o->spec.publish, true);
	case OBJECT_PEER:
		return peer_del(b->t, &o->spec.peer.tenant, &o->spec.peer.with);
	default:
		return spec_policy_del(b->t, &o->tenant, &o->spec.policy.name);
	}
}

static int get(const struct backend *b, struct object *o)
{
	const struct tsw_name tenant = o->spec.tenant.name;
	struct tsw_gateway gw;
	__u32 id;
	int err;

	if (o->kind == OBJECT_TENANT)
		return spec_get_tenant(b->t, &tenant, &o->spec.tenant);
	if (o->kind == OBJECT_ENDPOINT)
		return get_endpoint(b->t, &o->spec.endpoint);
	err = gateway_find(b->t, &o->tenant, &id, &gw);
	return err ?: spec_get_gateway(b->t, &gw, &o->spec.gateway);
}

static int groups(const struct backend *b, const struct tsw_tenant_spec *tenant,
		  const struct tsw_group_list *list)
{
	struct tsw_policy_member unused;

	return member_find(b->t, tenant->id, list, &unused);
}

static int publishes(const struct backend *b, const struct tsw_name *tenant,
		     backend_each_publish *each, void *context)
{
	struct tsw_publish_spec spec;
	struct publish *all = NULL;
	struct tsw_tenant unused;
	size_t n = 0, i;
	__u32 id;
	int err = tenant_find(b->t, tenant, &id, &unused);

	err = err ?: publish_list(b->t, id, &all, &n);
	for (i = 0; !err && i < n; i++) {
		spec = publish_spec(&all[i]);
		err = each(context, tenant->s, &spec);
	}
	free(all);
	return err;
}

static int reserve(const struct backend *b, const struct tsw_name *tenant,
		   const struct tsw_prefix *net, struct tsw_addr *addr)
{
	struct tsw_tenant unused;
	__u32 id;
	int err = tenant_find(b->t, tenant, &id, &unused);

	return err ?: auto_reserve(b->t, id, net, addr);
}

/*
 * Another device may have the index by now, but not the name. An endpoint without a place was left
 * by a killed command.
 */
static bool is_here(const struct backend *b, const struct object *o, const char *dev, __u32 ifindex)
{
	const struct tsw_endpoint_spec *spec = &o->spec.endpoint;
	struct endpoint ep;

	if (*spec->host.s || !dev)
		return !*spec->host.s;
	if (*spec->dev)
		return !strcmp(spec->dev, dev);
	return !find_endpoint(b->t, spec, &ep) &&
	       (!ep.placed || (ep.at.place == TSW_PLACE_PORT && ep.at.id == ifindex));
}

static int await(const struct backend *b, const struct object *o, bool gone, unsigned int ms)
{
	(void)b, (void)o, (void)gone, (void)ms;
	return 0;
}

const struct backend_calls switch_calls = {
	put, del, get, groups, publishes, reserve, is_here, await,
};
