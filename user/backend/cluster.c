// SPDX-License-Identifier: GPL-2.0-only
/* The backend of a cluster's records. */
#include <string.h>

#include "agent/local_wait.h"
#include "backend/backend.h"
#include "cluster/endpoint.h"
#include "cluster/gateway.h"
#include "cluster/group.h"
#include "cluster/hosts.h"
#include "cluster/peers.h"
#include "cluster/pick.h"
#include "cluster/policy.h"
#include "cluster/publish.h"
#include "cluster/tenant.h"
#include "record/fields.h"

static int put(const struct backend *b, struct object *o, __u64 given, enum spec_how how)
{
	struct records *const r = b->r;

	switch (o->kind) {
	case OBJECT_HOST:
		return cluster_host_make(r, &o->spec.host, given, how);
	case OBJECT_TENANT:
		return cluster_tenant_put(r, &o->spec.tenant, given, how, &o->spec.tenant);
	case OBJECT_GROUP:
		return cluster_groups_add(r, &o->tenant, o->groups, o->n_groups);
	case OBJECT_ENDPOINT:
		return cluster_endpoint_put(r, &o->spec.endpoint, given, how, &o->spec.endpoint);
	case OBJECT_GATEWAY:
		return cluster_gateway_put(r, &o->tenant, &o->spec.gateway, given, how);
	case OBJECT_PUBLISH:
		return cluster_publish_add(r, &o->tenant, &o->spec.publish);
	case OBJECT_PEER:
		return cluster_peer_add(r, &o->spec.peer);
	default:
		return cluster_policy_put(r, &o->tenant, &o->spec.policy, given, how);
	}
}

/* What refuses a host comes first: its endpoints go one after the other. */
static int del_host(struct records *r, const struct tsw_name *name, bool force)
{
	int err = force ? cluster_host_serves_none(r, name) : cluster_host_check_empty(r, name);

	if (!err && force)
		err = cluster_host_empty(r, name);
	return err ?: cluster_host_remove(r, name);
}

static int del_endpoint(struct records *r, struct tsw_endpoint_spec *spec)
{
	const struct tsw_name tenant = spec->tenant, name = spec->name;

	return cluster_endpoint_del(r, &tenant, &name, 0, spec);
}

static int del(const struct backend *b, struct object *o, bool force)
{
	switch (o->kind) {
	case OBJECT_HOST:
		return del_host(b->r, &o->spec.host.name, force);
	case OBJECT_TENANT:
		return cluster_tenant_del(b->r, &o->spec.tenant.name, force);
	case OBJECT_GROUP:
		return cluster_group_del(b->r, &o->tenant, &o->spec.group);
	case OBJECT_ENDPOINT:
		return del_endpoint(b->r, &o->spec.endpoint);
	case OBJECT_GATEWAY:
		return cluster_gateway_del(b->r, &o->tenant, force);
	case OBJECT_PUBLISH:
		return cluster_publish_del(b->r, &o->tenant, &o->spec.publish);
	case OBJECT_PEER:
		return cluster_peer_del(b->r, &o->spec.peer.tenant, &o->spec.peer.with);
	default:
		return cluster_policy_del(b->r, &o->tenant, &o->spec.policy.name);
	}
}

static int keep(void *context, const struct tsw_endpoint_spec *spec)
{
	*(struct tsw_endpoint_spec *)context = *spec;
	return 0;
}

static int get_endpoint(const struct records *r, struct tsw_endpoint_spec *spec)
{
	const struct tsw_name name = spec->name;
	struct tsw_name tenant = spec->tenant;
	size_t unused = 0;
	int err = *tenant.s ? 0 : cluster_endpoint_tenant(r, &name, &tenant);

	*spec = (struct tsw_endpoint_spec){};
	err = err ?: cluster_endpoints(r, &tenant, &name, &unused, keep, spec);
	return err || *spec->name.s ? err : rule_lacks(tenant.s, "endpoint", name.s);
}

static int get(const struct backend *b, struct object *o)
{
	const struct tsw_name tenant = o->spec.tenant.name;

	if (o->kind == OBJECT_TENANT)
		return cluster_tenant_get(b->r, &tenant, &o->spec.tenant, NULL);
	if (o->kind == OBJECT_ENDPOINT)
		return get_endpoint(b->r, &o->spec.endpoint);
	return cluster_gateway_get(b->r, &o->tenant, &o->spec.gateway, NULL);
}

static int groups(const struct backend *b, const struct tsw_tenant_spec *tenant,
		  const struct tsw_group_list *list)
{
	cleanup_look struct look look = {};
	__u32 i;
	int err;

	for (i = 0; i < list->n; i++)
		group_look(b->r, tenant->id, &list->at[i], &look);
	err = look_read(b->r, &look);
	for (i = 0; !err && i < list->n; i++)
		err = group_is_there(&look.at[i], &tenant->name);
	return err;
}

static int publishes(const struct backend *b, const struct tsw_name *tenant,
		     backend_each_publish *each, void *context)
{
	size_t unused = 0;

	return cluster_publishes(b->r, tenant, &unused, each, context);
}

static int reserve(const struct backend *b, const struct tsw_name *tenant,
		   const struct tsw_prefix *net, struct tsw_addr *addr)
{
	return cluster_reserve(b->r, tenant, net, addr);
}

static bool is_here(const struct backend *b, const struct object *o, const char *dev, __u32 ifindex)
{
	const struct tsw_endpoint_spec *spec = &o->spec.endpoint;

	(void)ifindex;
	return !strcmp(spec->host.s, b->r->m.host.s) && (!dev || !strcmp(spec->dev, dev));
}

static int await(const struct backend *b, const struct object *o, bool gone, unsigned int ms)
{
	const struct tsw_endpoint_spec *spec = &o->spec.endpoint;
	const char *own = b->r->m.host.s;

	if (o->kind != OBJECT_ENDPOINT || !((!strcmp(spec->host.s, own) && spec->dev[0]) ||
					    (!strcmp(spec->to_host.s, own) && spec->to_dev[0])))
		return 0;
	return local_wait_endpoint(b->t, &b->r->m, spec, gone, ms);
}

const struct backend_calls cluster_calls = {
	put, del, get, groups, publishes, reserve, is_here, await,
};
