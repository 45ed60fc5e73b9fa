// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "object/spec.h"
#include "record/boot.h"
#include "record/fields.h"
#include "record/gateway_find.h"
#include "record/relay.h"
#include "record/tenant_find.h"
#include "state/keys.h"
#include "state/policy.h"
#include "state/read_tenant.h"
#include "state/state.h"

static int check_limits(const struct tsw_limits *limits, const struct json_at *at)
{
	if (!limits->burst || limits->rate[TSW_RATE_OUT] || limits->rate[TSW_RATE_IN])
		return 0;
	misuse("burst %u goes with a rate: give rate_out or rate_in", limits->burst);
	return json_where(at);
}

/* The host that KEY names; STATE_NONE for an empty name. */
static int find_host(const struct state *s, const struct tsw_name *name, const struct json_at *at,
		     const char *key, __u32 *host)
{
	const struct json_at here = {.up = at, .key = key};

	*host = name->s[0] ? state_find_host(s, name->s) : STATE_NONE;
	if (!name->s[0] || *host != STATE_NONE)
		return 0;
	misuse("there is no host %s", quoted(name->s));
	return json_where(&here);
}

/* ---- endpoints -------------------------------------------------------------------- */

static int keep_ips(struct state *s, const struct tsw_addr_list *ips)
{
	struct tsw_addr *addr;
	unsigned int i;

	for (i = 0; i < ips->n; i++) {
		addr = list_grow(&s->ip, &s->n_ips, sizeof(*addr));
		if (!addr)
			return -ENOMEM;
		*addr = ips->at[i];
	}
	return 0;
}

/* Sets *TO to the host that the endpoint moves to; STATE_NONE: it does not move. */
static int find_to(const struct state *s, const struct tsw_endpoint_spec *want,
		   const struct json_at *at, __u32 *to)
{
	int err = find_host(s, &want->to_host, at, "to_host", to);

	if (err)
		return err;
	if (want->to_dev[0] && *to == STATE_NONE)
		misuse("to_dev is a device of to_host: give to_host, too");
	else if (*to != STATE_NONE && !strcmp(want->to_host.s, want->host.s))
		misuse("it lives at %s: it cannot move there", quoted(want->host.s));
	else
		return 0;
	return json_where(at);
}

int state_read_endpoint(const json_t *value, const struct json_at *at, void *to)
{
	struct state *s = to;
	struct tsw_endpoint_spec want = {};
	struct state_endpoint *ep;
	__u32 host, to_host;
	int err = fields_read(value, at, endpoint_keys, &want, NULL);

	err = err ?: find_host(s, &want.host, at, "host", &host);
	err = err ?: find_to(s, &want, at, &to_host);
	err = err ?: check_limits(&want.limits, at);
	if (err)
		return err;
	ep = list_grow(&s->endpoint, &s->n_endpoints, sizeof(*ep));
	if (!ep)
		return -ENOMEM;
	*ep = (struct state_endpoint){.name = want.name,
				      .tenant = (__u32)s->n_tenants - 1,
				      .at = (__u32)at->index,
				      .mac = want.mac,
				      .host = host,
				      .to = to_host,
				      .options = fields_to_flags(endpoint_fields, &want, 0),
				      .limits = want.limits,
				      .prefix = want.prefix,
				      .first_ip = s->n_ips,
				      .n_ip = want.ip.n,
				      .vip = want.vip,
				      .macs = want.macs};
	memcpy(ep->dev, want.dev, sizeof(ep->dev));
	memcpy(ep->to_dev, want.to_dev, sizeof(ep->to_dev));
	err = state_add_members(s, &want.group, ep);
	return err ?: keep_ips(s, &want.ip);
}

/* ---- gateways --------------------------------------------------------------------- */

/* The last error, with the place in the file. */
static int misuse_at(const struct json_at *at)
{
	const struct failure why = *failure();

	misuse("%s", why.text);
	return json_where(at);
}

static int check_gateway(const struct tsw_gateway_spec *want, const struct json_at *at)
{
	const struct json_at ip = {.up = at, .key = "ip"};

	if (!want->ip.n) {
		misuse("a gateway needs an address");
		return json_where(&ip);
	}
	return gateway_agrees(want) ? misuse_at(at) : 0;
}

static int find_backups(const struct state *s, const struct tsw_name_list *names,
			const struct json_at *at, struct state_gateway *gw)
{
	const struct json_at list = {.up = at, .key = "backup"};
	__u32 i;

	for (i = 0; i < names->n; i++) {
		const struct json_at here = {.up = &list, .index = i};

		gw->backup[i] = state_find_host(s, names->at[i].s);
		if (gw->backup[i] == STATE_NONE) {
			misuse("there is no host %s", quoted(names->at[i].s));
			return json_where(&here);
		}
	}
	gw->n_backups = names->n;
	return 0;
}

int state_read_gateway(const json_t *value, const struct json_at *at, void *to)
{
	struct state *s = to;
	struct state_tenant *tenant = &s->tenant[s->n_tenants - 1];
	struct tsw_gateway_spec want = gateway_defaults(tenant->spec.id);
	__u32 host;
	int err = fields_read(value, at, gateway_keys, &want, NULL);

	err = err ?: check_gateway(&want, at);
	err = err ?: find_host(s, &want.host, at, "host", &host);
	if (err)
		return err;
	tenant->gateway = (struct state_gateway){.spec = want, .host = host};
	tenant->has_gateway = true;
	return find_backups(s, &want.backup, at, &tenant->gateway);
}

/* ---- published ports -------------------------------------------------------------- */

int state_read_publish(const json_t *value, const struct json_at *at, void *to)
{
	struct state *s = to;
	struct tsw_publish_spec want = {};
	struct state_publish *p;
	__u32 host;
	int err = fields_read(value, at, publish_keys, &want, NULL);

	err = err ?: find_host(s, &want.host, at, "host", &host);
	if (err)
		return err;
	p = list_grow(&s->publish, &s->n_publishes, sizeof(*p));
	if (!p)
		return -ENOMEM;
	*p = (struct state_publish){.spec = want,
				    .tenant = (__u32)s->n_tenants - 1,
				    .host = host,
				    .at = (__u32)at->index};
	return 0;
}

/* ---- tenants ---------------------------------------------------------------------- */

static int check_tenant(const struct state_tenant *tenant, const struct json_at *at)
{
	const struct json_at id = {.up = at, .key = "id"};

	if (tenant->spec.id <= tenant_id_max(tenant->spec.encap))
		return boot_check(&tenant->spec) || relay_check(&tenant->spec)
			       ? misuse_at(at)
			       : check_limits(&tenant->spec.limits, at);
	misuse("%u is more than a VNI can be, which is %u", tenant->spec.id, TSW_VNI_MAX);
	return json_where(&id);
}

/* The parts of the tenant, after the tenant itself. */
static int read_parts(const json_t *value, const struct json_at *at, struct state *s)
{
	const struct json_at gateway = {.up = at, .key = "gateway"};
	const json_t *part = json_object_get(value, "gateway");
	int err = part ? state_read_gateway(part, &gateway, s) : 0;

	err = err ?: json_each(value, at, "groups", state_read_group, s);
	err = err ?: json_each(value, at, "policies", state_read_policy, s);
	err = err ?: json_each(value, at, "endpoints", state_read_endpoint, s);
	return err ?: json_each(value, at, "publish", state_read_publish, s);
}

int state_read_tenant(const json_t *value, const struct json_at *at, void *to)
{
	struct state *s = to;
	struct state_tenant *tenant = list_grow(&s->tenant, &s->n_tenants, sizeof(*tenant));
	int err;

	if (!tenant)
		return -ENOMEM;
	tenant->at = (__u32)at->index;
	tenant->spec.broadcast = true;
	err = fields_read(value, at, tenant_keys, tenant, NULL);
	err = err ?: check_tenant(tenant, at);
	return err ?: read_parts(value, at, s);
}

/* ---- peerings --------------------------------------------------------------------- */

static int find_tenant(const struct state *s, const struct tsw_name *name, const struct json_at *at,
		       const char *key, __u32 *tenant)
{
	const struct json_at here = {.up = at, .key = key};

	*tenant = state_find_tenant(s, name->s);
	if (*tenant != STATE_NONE)
		return 0;
	misuse("there is no tenant %s", quoted(name->s));
	return json_where(&here);
}

int state_read_peer(const json_t *value, const struct json_at *at, void *to)
{
	struct state *s = to;
	struct tsw_peer_spec want = {};
	struct state_peer *peer;
	__u32 tenant, with;
	__u64 given;
	int err = fields_read(value, at, peer_keys, &want, &given);

	err = err ?: find_tenant(s, &want.tenant, at, "tenant", &tenant);
	err = err ?: find_tenant(s, &want.with, at, "with", &with);
	if (!err && spec_check_peer(given))
		err = json_where(at);
	if (err)
		return err;
	peer = list_grow(&s->peer, &s->n_peers, sizeof(*peer));
	if (!peer)
		return -ENOMEM;
	*peer = (struct state_peer){
		.tenant = tenant, .with = with, .at = (__u32)at->index, .spec = want};
	return 0;
}
