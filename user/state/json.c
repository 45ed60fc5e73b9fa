// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/field_json.h"
#include "record/fields.h"
#include "state/json.h"
#include "state/policy.h"

json_t *state_switch_json(const struct tsw_switch_spec *up)
{
	return fields_json(switch_fields, up->given & SWITCH_IN_FILE, up);
}

json_t *state_host_json(const struct state *s, __u32 i)
{
	return fields_json(host_fields, ~0ULL, &s->host[i].spec);
}

json_t *state_tenant_json(const struct state *s, __u32 i)
{
	return fields_json(tenant_fields, ~0ULL, &s->tenant[i].spec);
}

static struct tsw_name host_name(const struct state *s, __u32 host)
{
	return host == STATE_NONE ? (struct tsw_name){} : s->host[host].spec.name;
}

static json_t *tell_pending(json_t *json, bool pending)
{
	if (pending)
		json_object_set_new(json, "pending", json_true());
	return json;
}

struct tsw_gateway_spec state_gateway_spec(const struct state *s, __u32 i)
{
	const struct state_gateway *gw = &s->tenant[i].gateway;
	struct tsw_gateway_spec want = gw->spec;
	__u32 k;

	want.host = host_name(s, gw->host);
	want.backup.n = gw->n_backups;
	for (k = 0; k < gw->n_backups; k++)
		want.backup.at[k] = host_name(s, gw->backup[k]);
	return want;
}

json_t *state_gateway_json(const struct state *s, __u32 i)
{
	const struct tsw_gateway_spec want = state_gateway_spec(s, i);

	return tell_pending(fields_json(gateway_fields, GATEWAY_IN_FILE, &want),
			    s->tenant[i].gateway.pending);
}

struct tsw_endpoint_spec state_endpoint_spec(const struct state *s, __u32 i)
{
	const struct state_endpoint *ep = &s->endpoint[i];
	struct tsw_endpoint_spec want = {.name = ep->name,
					 .mac = ep->mac,
					 .ip.n = ep->n_ip,
					 .host = host_name(s, ep->host),
					 .to_host = host_name(s, ep->to),
					 .limits = ep->limits,
					 .vip = ep->vip,
					 .macs = ep->macs,
					 .prefix = ep->prefix,
					 .group = state_members(s, ep)};

	fields_from_flags(endpoint_fields, ep->options, &want);
	if (ep->n_ip)
		memcpy(want.ip.at, s->ip + ep->first_ip, ep->n_ip * sizeof(want.ip.at[0]));
	memcpy(want.to_dev, ep->to_dev, sizeof(want.to_dev));
	memcpy(state_comes(s, ep) ? want.to_dev : want.dev, ep->dev, sizeof(want.dev));
	return want;
}

json_t *state_endpoint_json(const struct state *s, __u32 i)
{
	const struct tsw_endpoint_spec want = state_endpoint_spec(s, i);

	return tell_pending(fields_json(endpoint_fields, ~0ULL, &want), s->endpoint[i].pending);
}

struct tsw_publish_spec state_publish_spec(const struct state *s, __u32 i)
{
	struct tsw_publish_spec want = s->publish[i].spec;

	want.host = host_name(s, s->publish[i].host);
	return want;
}

json_t *state_publish_json(const struct state *s, __u32 i)
{
	const struct tsw_publish_spec want = state_publish_spec(s, i);

	return fields_json(publish_fields, ~0ULL, &want);
}

struct tsw_peer_spec state_peer_spec(const struct state *s, __u32 i)
{
	const struct state_peer *peer = &s->peer[i];
	struct tsw_peer_spec spec = peer->spec;

	spec.tenant = s->tenant[peer->tenant].spec.name;
	spec.with = s->tenant[peer->with].spec.name;
	return spec;
}

json_t *state_peer_json(const struct state *s, __u32 i)
{
	const struct tsw_peer_spec want = state_peer_spec(s, i);

	return fields_json(peer_fields, want.port ? ~0ULL : ~PEER_SERVICE, &want);
}
