// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "object/auto.h"
#include "object/endpoint.h"
#include "object/policy_group.h"
#include "object/spec.h"
#include "record/nets.h"
#include "record/policy_find.h"
#include "record/tenant_find.h"

int spec_check_place(__u64 given)
{
	if (!(given & FIELD(ENDPOINT_DEV)) != !(given & FIELD(ENDPOINT_HOST)))
		return 0;
	return misuse("an endpoint lives at one place: give either dev DEV or host HOST");
}

int spec_check_to(__u64 given)
{
	if ((given & ENDPOINT_TO) != ENDPOINT_TO)
		return 0;
	return misuse("an endpoint moves to one place: give either to-dev DEV or to-host HOST");
}

/* Sets the place that is given; without one the endpoint stays where it is. */
static int take_place(struct tsw *t, const struct tsw_endpoint_spec *want, __u64 given,
		      struct endpoint *ep)
{
	int err;

	if (given & FIELD(ENDPOINT_DEV))
		err = endpoint_at_device(t, want->dev, ep);
	else if (given & FIELD(ENDPOINT_HOST))
		err = endpoint_at_host(t, &want->host, ep);
	else
		err = endpoint_stay(t, ep);
	return !err && given & ENDPOINT_TO ? endpoint_moves(t, want, ep) : err;
}

/* Copies the fields that are given into EP, which has the others already. */
static int take(struct tsw *t, const struct tsw_endpoint_spec *spec, __u64 given,
		struct endpoint *ep)
{
	struct tsw_endpoint_spec want = {
		.mac = ep->mac, .limits = ep->limits, .macs = ep->macs, .prefix = ep->prefix};
	int err;

	fields_from_flags(endpoint_fields, ep->options, &want);
	fields_copy(endpoint_fields, given, spec, &want);
	err = limits_settle(&want.limits, given & FIELD(ENDPOINT_BURST));
	if (err)
		return err;
	ep->mac = want.mac;
	ep->limits = want.limits;
	ep->macs = want.macs;
	ep->prefix = want.prefix;
	ep->options = fields_to_flags(endpoint_fields, &want, 0);
	if (given & FIELD(ENDPOINT_GROUP))
		err = member_find(t, ep->key.tenant, &want.group, &ep->groups);
	if (err)
		return err;
	if (given & FIELD(ENDPOINT_IP)) {
		ep->n_ip = want.ip.n;
		memcpy(ep->ip, want.ip.at, sizeof(ep->ip));
	}
	if (given & FIELD(ENDPOINT_VIP))
		ep->vip = want.vip;
	return take_place(t, &want, given, ep);
}

static int check_ips(const struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	struct tsw_nets own;
	struct tsw_prefix_list nets;
	int err = nets_load(t, want->key.tenant, &own);

	nets = nets_list(&own);
	err = err
		      ?: nets_check_new(&nets, old ? old->ip : NULL, old ? old->n_ip : 0, want->ip,
					want->n_ip);
	return err
		       ?: nets_check_new(&nets, old ? old->vip.at : NULL, old ? old->vip.n : 0,
					 want->vip.at, want->vip.n);
}

/* Changes the endpoint from OLD, or NULL, to WANT with the fields that are given. */
static int change(struct tsw *t, const struct tsw_endpoint_spec *spec, __u64 given,
		  const struct endpoint *old, struct endpoint *want)
{
	const __u32 tenant = want->key.tenant;
	struct tsw_endpoint_spec whole = *spec;
	int err = auto_endpoint(t, tenant, old, &whole);

	given |= spec->automatic & TSW_AUTO_MAC ? FIELD(ENDPOINT_MAC) : 0;
	given |= spec->automatic & TSW_AUTO_IP ? FIELD(ENDPOINT_IP) : 0;
	err = err ?: take(t, &whole, given, want);
	err = err ?: check_ips(t, old, want);
	err = err ?: endpoint_change(t, old, want);
	if (!err)
		auto_endpoint_done(t, tenant, old, &whole);
	return err;
}

static int set(struct tsw *t, const struct tsw_endpoint_spec *spec, __u64 given)
{
	struct endpoint old, want;
	int err = endpoint_find(t, &spec->tenant, &spec->name, &old);

	if (err)
		return err;
	want = old;
	return change(t, spec, given, &old, &want);
}

int spec_endpoint(struct tsw *t, const struct tsw_endpoint_spec *spec, __u64 given,
		  enum spec_how how)
{
	struct endpoint old, want = {.key.name = spec->name};
	struct tsw_tenant tenant;
	bool exists;
	int err;

	if (how == SPEC_SET)
		return set(t, spec, given);
	err = tenant_find(t, &spec->tenant, &want.key.tenant, &tenant);
	if (err)
		return err;
	err = endpoint_load(t, &want.key, &old);
	exists = !err;
	if (err && err != -ENOENT)
		return err;
	/* A pending endpoint was never completed, so `add` completes it. */
	if (exists && how == SPEC_ADD && !old.pending)
		return rule_has(tenant.name, "an endpoint", spec->name.s);
	if (exists) {
		want = old;
		want.n_ip = 0; /* without the word ip there are no addresses */
		want.options = 0;
		want.macs = 0;
		want.limits = (struct tsw_limits){};
		want.groups = (struct tsw_policy_member){};
		want.vip = (struct tsw_vip_list){};
		want.prefix = (struct tsw_prefix_list){};
	}
	return change(t, spec, given, exists ? &old : NULL, &want);
}

/* DEV becomes empty if the device is gone. */
static void name_place(const struct tsw *t, const struct tsw_fdb *at, struct tsw_name *name,
		       char *dev)
{
	struct tsw_host host;

	if (at->place == TSW_PLACE_PORT && !if_indextoname(at->id, dev))
		dev[0] = '\0';
	if (at->place == TSW_PLACE_HOST && !map_get(&t->maps, MAP_HOSTS, &at->id, &host))
		memcpy(name->s, host.name, sizeof(name->s));
}

struct tsw_endpoint_spec endpoint_to_spec(const struct tsw *t, const struct endpoint *ep,
					  const char *tenant, const struct policy_groups *groups)
{
	struct tsw_endpoint_spec spec = {.name = ep->key.name,
					 .mac = ep->mac,
					 .ip.n = ep->n_ip,
					 .limits = ep->limits,
					 .vip = ep->vip,
					 .macs = ep->macs,
					 .prefix = ep->prefix};

	fields_from_flags(endpoint_fields, ep->options, &spec);
	snprintf(spec.tenant.s, sizeof(spec.tenant.s), "%s", tenant);
	memcpy(spec.ip.at, ep->ip, sizeof(spec.ip.at));
	if (ep->placed)
		name_place(t, &ep->at, &spec.host, spec.dev);
	if (ep->placed && ep->moving)
		name_place(t, &ep->to, &spec.to_host, spec.to_dev);
	if (policy_member_any(&ep->groups))
		spec.group = policy_member_names(groups, ep->key.tenant, &ep->groups);
	return spec;
}

int spec_get_endpoint(const struct tsw *t, const struct endpoint *ep,
		      struct tsw_endpoint_spec *spec)
{
	cleanup_policy_groups struct policy_groups groups = {};
	struct tsw_tenant tenant;
	int err = map_get(&t->maps, MAP_TENANTS, &ep->key.tenant, &tenant);

	if (err)
		return fail(err, "the tenant of endpoint %s is gone", quoted(ep->key.name.s));
	if (policy_member_any(&ep->groups))
		err = policy_groups_read(t, ep->key.tenant, &groups);
	if (!err)
		*spec = endpoint_to_spec(t, ep, tenant.name, &groups);
	return err;
}
