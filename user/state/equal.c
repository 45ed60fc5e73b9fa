// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/text.h"
#include "record/fields.h"
#include "record/prefix_find.h"
#include "state/equal.h"

bool state_equal_hosts(const struct state_host *have, const struct state_host *want)
{
	return have->spec.ip.preferred == want->spec.ip.preferred &&
	       fields_equal(host_fields, HOST_TOLD, &have->spec, &want->spec);
}

__u64 state_told(const struct tsw_switch_spec *up)
{
	return up->attach == TSW_ASK_ATTACH_AUTO ? up->given & ~FIELD(SWITCH_ATTACH) : up->given;
}

bool state_equal_own(const struct state_host *have, const struct state_host *want)
{
	/* The file has the own key and MTU for other hosts, so they are not compared. */
	const __u64 own = HOST_TOLD & ~(FIELD(HOST_KEY) | FIELD(HOST_MTU));

	return fields_equal(host_fields, own, &have->spec, &want->spec) &&
	       fields_equal(switch_fields, state_told(&want->up), &have->up, &want->up);
}

bool state_equal_tenants(const struct state_tenant *have, const struct state_tenant *want)
{
	return fields_equal(tenant_fields, ~0ULL, &have->spec, &want->spec);
}

static bool same_host(const struct diff *d, __u32 have, __u32 want)
{
	if (have == STATE_NONE || want == STATE_NONE)
		return have == want;
	return d->host.want[have] == want;
}

static bool same_backups(const struct diff *d, const struct state_gateway *have,
			 const struct state_gateway *want)
{
	__u32 i;

	for (i = 0; i < have->n_backups && i < want->n_backups; i++)
		if (!same_host(d, have->backup[i], want->backup[i]))
			return false;
	return have->n_backups == want->n_backups;
}

bool state_equal_gateways(const struct diff *d, __u32 have, __u32 want)
{
	const struct state_gateway *a = &d->have->tenant[have].gateway;
	const struct state_gateway *b = &d->want->tenant[want].gateway;

	return !a->pending &&
	       fields_equal(gateway_fields, GATEWAY_IN_FILE & ~GATEWAY_HOSTS, &a->spec, &b->spec) &&
	       same_host(d, a->host, b->host) && same_backups(d, a, b);
}

bool state_equal_endpoints(const struct diff *d, __u32 have, __u32 want)
{
	const struct state_endpoint *a = &d->have->endpoint[have], *b = &d->want->endpoint[want];

	if (a->pending || !mac_equal(&a->mac, &b->mac) || a->n_ip != b->n_ip ||
	    a->options != b->options || a->macs != b->macs ||
	    memcmp(&a->vip, &b->vip, sizeof(a->vip)) || !prefixes_equal(&a->prefix, &b->prefix) ||
	    !same_host(d, a->host, b->host) || !same_host(d, a->to, b->to) ||
	    !limits_equal(&a->limits, &b->limits))
		return false;
	if (a->n_ip && memcmp(d->have->ip + a->first_ip, d->want->ip + b->first_ip,
			      a->n_ip * sizeof(*d->have->ip)))
		return false;
	if (a->n_groups != b->n_groups ||
	    (a->n_groups &&
	     memcmp(d->have->member + a->first_group, d->want->member + b->first_group,
		    a->n_groups * sizeof(*d->have->member))))
		return false;
	if (d->want->whole)
		return !strcmp(a->dev, b->dev) && !strcmp(a->to_dev, b->to_dev);
	return !state_is_own(d->want, b) || (a->ifindex && !strcmp(a->dev, b->dev));
}

/* Orders by tenant. A tenant that is deleted, or replaced under the same name, comes first. */
static int order_tenants(const struct diff *d, __u32 have, __u32 want)
{
	const int order =
		strcmp(d->have->tenant[have].spec.name.s, d->want->tenant[want].spec.name.s);

	if (order)
		return order;
	return d->tenant.want[have] == want ? 0 : -1;
}

int state_order_publishes(const struct diff *d, size_t have, size_t want)
{
	const struct state_publish *a = &d->have->publish[have], *b = &d->want->publish[want];
	const int order = order_tenants(d, a->tenant, b->tenant);

	return order ?: state_order_ports(&a->spec, &b->spec);
}

int state_order_peers(const struct diff *d, size_t have, size_t want)
{
	const struct state_peer *a = &d->have->peer[have], *b = &d->want->peer[want];
	const int order = order_tenants(d, a->tenant, b->tenant);

	return order ?: order_tenants(d, a->with, b->with);
}

int state_order_groups(const struct diff *d, size_t have, size_t want)
{
	const struct state_group *a = &d->have->group[have], *b = &d->want->group[want];
	const int order = order_tenants(d, a->tenant, b->tenant);

	return order ?: strcmp(a->name.s, b->name.s);
}

int state_order_policies(const struct diff *d, size_t have, size_t want)
{
	const struct state_policy *a = &d->have->policy[have], *b = &d->want->policy[want];
	const int order = order_tenants(d, a->tenant, b->tenant);

	return order ?: strcmp(a->spec.name.s, b->spec.name.s);
}

bool state_equal_policies(const struct diff *d, size_t have, size_t want)
{
	return fields_equal(policy_fields, ~0ULL, &d->have->policy[have].spec,
			    &d->want->policy[want].spec);
}

bool state_equal_publishes(const struct diff *d, size_t have, size_t want)
{
	const struct state_publish *a = &d->have->publish[have], *b = &d->want->publish[want];

	return !a->pending && fields_equal(publish_fields, FIELD(PUBLISH_TO), &a->spec, &b->spec);
}

bool state_equal_peers(const struct diff *d, size_t have, size_t want)
{
	const struct state_peer *a = &d->have->peer[have], *b = &d->want->peer[want];

	return !a->pending &&
	       fields_equal(peer_fields, PEER_SERVICE | FIELD(PEER_PREFIX), &a->spec, &b->spec);
}

bool state_same_networks(const struct state_gateway *a, const struct state_gateway *b)
{
	return fields_equal(gateway_fields, FIELD(GATEWAY_IP), &a->spec, &b->spec);
}
