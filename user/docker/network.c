// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "docker/docker.h"
#include "plug/json.h"
#include "plug/kept.h"

/* Reads the tenant that a network's options name. */
static int ask_tenant(const struct docker_options *o, struct tenancy *tenancy)
{
	struct world w;
	int err = world_open(&w, o->instance.s, WORLD_ASK_MS);

	err = err ?: world_tenant(&w, &o->tenant, tenancy);
	err = err ?: world_groups(&w, tenancy, &o->spec.group);
	world_close(&w);
	return err;
}

static int read_options(const json_t *body, const json_t **options, const json_t **given,
			struct docker_options *o)
{
	int err = plug_object(body, "Options", options);

	err = err ?: plug_object(*options, "com.docker.network.generic", given);
	return err ?: docker_options_read(*given, DOCKER_NETWORK, o);
}

/* ---- GwAllocCheck ----------------------------------------------------------------- */

static bool lacks(const struct tsw_prefix_list *gateway, bool v4)
{
	__u32 i;

	for (i = 0; i < gateway->n; i++)
		if (addr_is_v4(&gateway->at[i].addr) == v4)
			return false;
	return true;
}

/* Docker 28 and later asks for which families it needs no gateway's address. */
int docker_check_gateway(const json_t *body, json_t **answer)
{
	const json_t *options, *given;
	struct docker_options o;
	struct tenancy tenancy;
	int err = read_options(body, &options, &given, &o);

	err = err ?: ask_tenant(&o, &tenancy);
	if (!err)
		*answer = json_pack("{s:b, s:b}", "SkipIPv4", lacks(&tenancy.gateway, true),
				    "SkipIPv6", lacks(&tenancy.gateway, false));
	return err;
}

/* ---- CreateNetwork ---------------------------------------------------------------- */

static bool is_net(const struct tenancy *tenancy, const struct tsw_prefix *pool)
{
	__u32 i;

	for (i = 0; i < tenancy->spec.net.n; i++)
		if (!memcmp(&tenancy->spec.net.at[i], pool, sizeof(*pool)))
			return true;
	return false;
}

/* Without --ipam-driver Docker gives addresses of its own choice, which may be in no net. */
static int check_default(const struct tsw_prefix *pool, const struct tenancy *tenancy)
{
	if (!tenancy->spec.net.n || is_net(tenancy, pool))
		return 0;
	return misuse("%s is not a net of tenant %s; use --ipam-driver tsw --ipam-opt tenant=%s",
		      prefix_text(pool), quoted(tenancy->spec.name.s),
		      escaped(tenancy->spec.name.s));
}

/* A pool of our own IPAM driver must be a net of the tenant. Another driver's may be anything. */
static int check_pool(const json_t *item, const struct tenancy *tenancy)
{
	const char *space, *text;
	const json_t *aux;
	struct tsw_prefix pool;
	int err = plug_text(item, "AddressSpace", &space);

	err = err ?: plug_text(item, "Pool", &text);
	err = err ?: plug_object(item, "AuxAddresses", &aux);
	if (!err && space && !strcmp(space, "LocalDefault"))
		return parse_subnet(text ?: "", &pool) ?: check_default(&pool, tenancy);
	if (err || !space || strcmp(space, DOCKER_SPACE))
		return err;
	if (json_object_size(aux))
		return misuse("--aux-address is not supported: reserve an address by an endpoint "
			      "of the tenant");
	err = parse_subnet(text ?: "", &pool);
	if (err || is_net(tenancy, &pool))
		return err;
	return misuse("%s is not a net of tenant %s; give --ipam-opt the same tenant as -o",
		      prefix_text(&pool), quoted(tenancy->spec.name.s));
}

static int check_pools(const json_t *body, const char *key, const struct tenancy *tenancy)
{
	const json_t *pools, *item;
	size_t i;
	int err = plug_list(body, key, &pools);

	if (err)
		return err;
	json_array_foreach(pools, i, item) {
		err = err ?: check_pool(item, tenancy);
	}
	return err;
}

static int check_network(const json_t *body, const struct docker_options *o)
{
	struct tenancy tenancy;
	__u32 mtu = o->mtu;
	int err = ask_tenant(o, &tenancy);

	err = err ?: tenancy_mtu(&tenancy, &mtu);
	err = err ?: check_pools(body, "IPv4Data", &tenancy);
	return err ?: check_pools(body, "IPv6Data", &tenancy);
}

int docker_create_network(const json_t *body, json_t **answer)
{
	const json_t *options, *given;
	struct docker_network n;
	int err = docker_ids(body, &n.id, NULL);

	(void)answer;
	err = err ?: read_options(body, &options, &given, &n.options);
	if (!err && json_is_true(json_object_get(options, "com.docker.network.internal")))
		err = misuse("--internal is not supported; use a tenant without a gateway");
	err = err ?: check_network(body, &n.options);
	if (err)
		return err;
	/* Docker before 28 does not say, because there all networks have IPv4. */
	n.ipv4 = !json_is_false(json_object_get(options, "com.docker.network.enable_ipv4"));
	n.ipv6 = json_is_true(json_object_get(options, "com.docker.network.enable_ipv6"));
	return docker_network_save(&n, given);
}

/* ---- DeleteNetwork ---------------------------------------------------------------- */

static int take_given(void *context, const char *name)
{
	struct docker_context *p = context;
	struct given given = p->given;

	snprintf(given.own.s, sizeof(given.own.s), "%s", name);
	return given_del(&given, &p->w, &p->n.options.tenant);
}

/* Removes endpoints that killed calls left, or that could not be removed without etcd. */
static int take_endpoints(struct docker_context *p)
{
	struct name_list list;
	size_t i;
	int err = world_names(&p->w, p->names.network, &list);

	for (i = 0; !err && i < list.n; i++)
		err = world_del(&p->w, &p->n.options.tenant, &list.at[i], NULL);
	free(list.at);
	return err;
}

int docker_delete_network(const json_t *body, json_t **answer)
{
	struct docker_context p;
	const char *id;
	int err = docker_context_open(body, DOCKER_NETWORK, true, &p);

	(void)answer;
	err = err ?: kept_each(p.given.directory, p.names.network, take_given, &p);
	err = err ?: take_endpoints(&p);
	err = err ?: devices_remove(p.names.dev_network, p.names.alias, NULL, NULL);
	docker_context_close(&p);
	err = err ?: docker_ids(body, &id, NULL);
	return err ?: docker_network_forget(id);
}
