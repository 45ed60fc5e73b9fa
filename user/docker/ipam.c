// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses of the tenant's nets. This driver keeps no state: a pool's id says everything. An
 * address that Docker asks for rests in the switch or cluster, like one that was just given up. So
 * no `auto` on any host takes it, until CreateEndpoint asks for it by number. If that never comes,
 * it is free again after a minute. If somebody takes it by number before, CreateEndpoint fails. Two
 * endpoints never have the same address, because only an endpoint owns one.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "docker/docker.h"
#include "plug/json.h"

struct pool {
	struct docker_options o;
	struct tsw_prefix net;
	struct tenancy tenancy;
	struct world w;
};

static int open_pool(struct pool *p)
{
	int err = world_open(&p->w, p->o.instance.s, WORLD_CHANGE_MS);

	return err ?: world_tenant(&p->w, &p->o.tenant, &p->tenancy);
}

static void close_pool(struct pool *p)
{
	const struct failure why = *failure();

	world_close(&p->w);
	fail_again(&why);
}

/* ---- addresses that Docker did not choose ------------------------------------------ */

/* Takes an address of the first net of that family with room. Without such a net takes none. */
static int choose(struct docker_context *p, bool v4)
{
	const struct tsw_prefix_list *nets = &p->tenancy.spec.net;
	struct tsw_prefix *at = &p->dress.ip[p->dress.n_ip].at;
	int err = 0;
	__u32 i;

	for (i = 0; i < nets->n; i++) {
		if (addr_is_v4(&nets->at[i].addr) != v4)
			continue;
		*at = (struct tsw_prefix){.len = nets->at[i].len};
		err = world_reserve(&p->w, &p->n.options.tenant, &nets->at[i], &at->addr);
		if (err == -ENOSPC)
			continue;
		p->dress.n_ip += !err;
		break;
	}
	return err;
}

int docker_choose(struct docker_context *p)
{
	const char *tenant = p->n.options.tenant.s;
	int err = p->n.ipv4 ? choose(p, true) : 0;

	if (!err && p->n.ipv6)
		err = choose(p, false);
	return err || p->dress.n_ip
		       ? err
		       : fail(ENOENT,
			      "tenant %s has no net to take an address from; add one with: tsw "
			      "tenant set %s net CIDR",
			      quoted(tenant), escaped(tenant));
}

/* ---- RequestPool ------------------------------------------------------------------ */

/* Finds the net that was asked for, or the first one of the family. */
static int find_net(struct pool *p, const char *asked, bool v6)
{
	const struct tsw_prefix_list *nets = &p->tenancy.spec.net;
	const char *tenant = p->tenancy.spec.name.s;
	struct tsw_prefix want = {};
	__u32 i;
	int err = *asked ? parse_network(asked, &want) : 0;

	if (err)
		return err;
	for (i = 0; i < nets->n; i++) {
		p->net = nets->at[i];
		if (*asked ? !memcmp(&p->net, &want, sizeof(want))
			   : addr_is_v4(&p->net.addr) == !v6)
			return 0;
	}
	return *asked ? fail(ENOENT, "tenant %s has no net %s", quoted(tenant), prefix_text(&want))
		      : fail(ENOENT,
			     "tenant %s has no %s net; add one with: tsw tenant set %s net "
			     "CIDR",
			     quoted(tenant), v6 ? "IPv6" : "IPv4", escaped(tenant));
}

/* The tenant's gateway, with the net's length. Zero: it has none in this net. */
static struct tsw_prefix gateway_of(const struct pool *p)
{
	const struct tsw_addr addr = tenancy_gateway(&p->tenancy, &p->net);

	return (struct tsw_prefix){addr, addr_is_none(&addr) ? 0 : p->net.len};
}

static int answer_pool(const struct pool *p, json_t **answer)
{
	const struct tsw_prefix gateway = gateway_of(p);
	char id[2 * sizeof(struct tsw_name) + 64];
	json_t *data = json_object();

	if (gateway.len)
		json_object_set_new(data, "com.docker.network.gateway",
				    json_string(prefix_text(&gateway)));
	snprintf(id, sizeof(id), "%s/%s/%s", p->o.instance.s, p->o.tenant.s, prefix_text(&p->net));
	*answer = json_pack("{s:s, s:s, s:o}", "PoolID", id, "Pool", prefix_text(&p->net), "Data",
			    data);
	return 0;
}

int docker_request_pool(const json_t *body, json_t **answer)
{
	struct pool p = {.w = WORLD_CLOSED};
	const char *asked, *part;
	const json_t *options;
	int err = plug_text(body, "Pool", &asked);

	err = err ?: plug_text(body, "SubPool", &part);
	err = err ?: plug_object(body, "Options", &options);
	err = err ?: docker_options_read(options, DOCKER_POOL, &p.o);
	if (!err && part && *part)
		err = misuse("--ip-range %s is not supported: addresses come from the whole net",
			     quoted(part));
	err = err ?: open_pool(&p);
	err = err ?: find_net(&p, asked ?: "", json_is_true(json_object_get(body, "V6")));
	if (!err && (!asked || !*asked))
		err = docker_check_overlap(&p.net);
	err = err ?: answer_pool(&p, answer);
	close_pool(&p);
	return err;
}

/* ---- RequestAddress --------------------------------------------------------------- */

/* Reads INSTANCE/TENANT/NET; names contain no '/'. */
static int read_pool(const json_t *body, struct pool *p)
{
	char text[2 * sizeof(struct tsw_name) + 64], *tenant, *net = NULL;
	const char *id;
	int err = plug_text(body, "PoolID", &id);

	if (err)
		return err;
	snprintf(text, sizeof(text), "%s", id ?: "");
	tenant = strchr(text, '/');
	if (tenant)
		net = strchr(tenant + 1, '/');
	if (!net)
		return misuse("PoolID: %s is not a pool of tsw", quoted(id ?: ""));
	*tenant = *net = '\0';
	err = parse_known_name(text, &p->o.instance);
	err = err ?: parse_known_name(tenant + 1, &p->o.tenant);
	return err ?: parse_network(net + 1, &p->net);
}

/*
 * Docker needs a gateway for each pool. If the tenant has none, this is the net's own address,
 * which nobody uses. Containers get the real gateway by Join.
 */
static int take_gateway(const struct pool *p, struct tsw_addr *addr)
{
	struct tsw_prefix gateway = gateway_of(p);

	if (!gateway.len)
		gateway.addr = prefix_first(&p->net);
	if (!addr_is_none(addr) && !addr_equal(addr, &gateway.addr))
		return misuse("--gateway %s: %s%s in %s", addr_text(addr),
			      gateway.len ? "the tenant's is " : "the tenant has none",
			      gateway.len ? addr_text(&gateway.addr) : "", prefix_text(&p->net));
	*addr = gateway.addr;
	return 0;
}

int docker_request_address(const json_t *body, json_t **answer)
{
	struct pool p = {.w = WORLD_CLOSED};
	const char *text, *type;
	struct tsw_prefix got = {};
	const json_t *options;
	int err = read_pool(body, &p);

	err = err ?: plug_text(body, "Address", &text);
	err = err ?: plug_object(body, "Options", &options);
	err = err ?: plug_text(options, "RequestAddressType", &type);
	if (!err && text && *text)
		err = parse_ip(text, &got.addr);
	err = err ?: open_pool(&p);
	err = err
		      ?: type && !strcmp(type, "com.docker.network.gateway")
			 ? take_gateway(&p, &got.addr)
			 : world_reserve(&p.w, &p.o.tenant, &p.net, &got.addr);
	close_pool(&p);
	if (err)
		return err;
	got.len = p.net.len;
	*answer = json_pack("{s:s, s:{}}", "Address", prefix_text(&got), "Data");
	return 0;
}
