// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "object/gateway.h"
#include "object/host.h"
#include "object/spec.h"
#include "record/gateway_find.h"
#include "record/hosts.h"
#include "record/tenant_find.h"

int spec_check_gateway(const struct tsw_gateway_spec *spec, __u64 given)
{
	if (given & FIELD(GATEWAY_NAT) && !spec->nat &&
	    !field_is_empty(&gateway_fields[GATEWAY_SNAT], spec))
		return misuse("\"nat off\" and \"snat\" contradict each other");
	return gateway_hosts_agree(spec);
}

/* *ID becomes 0 for this host's own name. */
static int find(const struct tsw *t, const struct tsw_name *name, __u32 *id)
{
	struct tsw_host host;

	*id = 0;
	return strcmp(name->s, t->config.name) ? host_find(t, name, id, &host) : 0;
}

/* With NO_HOST each host serves its own endpoints. */
static int move(const struct tsw *t, const struct tsw_gateway_spec *spec, struct tsw_gateway *gw)
{
	struct ranks to = {};
	__u32 i;
	int err;

	if (!strcmp(spec->host.s, NO_HOST)) {
		gateway_move(gw, &to, spec->drain);
		return 0;
	}
	err = find(t, &spec->host, &to.host[to.n++]);
	for (i = 0; !err && i < spec->backup.n; i++)
		err = find(t, &spec->backup.at[i], &to.host[to.n++]);
	if (!err)
		gateway_move(gw, &to, spec->drain);
	return err;
}

/* Copies the fields that are given into GW, which has the others already. */
static int take(const struct tsw *t, const struct tsw_gateway_spec *spec, __u64 given,
		struct tsw_gateway *gw)
{
	gateway_take(spec, given, gw);
	return given & FIELD(GATEWAY_HOST) ? move(t, spec, gw) : 0;
}

static int set(struct tsw *t, const struct tsw_name *tenant, const struct tsw_gateway_spec *spec,
	       __u64 given)
{
	struct tsw_gateway old, want;
	__u32 id;
	int err = gateway_find(t, tenant, &id, &old);

	if (err)
		return err;
	want = old;
	err = take(t, spec, given, &want);
	/* The user's choice counts, even if another host serves because the first was down. */
	if (!err && given & FIELD(GATEWAY_HOST))
		gateway_serve_first(&want, spec->drain);
	return err ?: gateway_change(t, id, &old, &want);
}

/* Each field that is not given gets its default, except the addresses, which stay. */
static void make_default(__u32 id, __u64 given, struct tsw_gateway *gw)
{
	const struct tsw_gateway_spec defaults = gateway_defaults(id);

	gateway_take(&defaults, ~FIELD(GATEWAY_IP), gw);
	if (!(given & FIELD(GATEWAY_HOST)))
		gateway_move(gw, &(struct ranks){}, 0);
}

int spec_gateway(struct tsw *t, const struct tsw_name *tenant, const struct tsw_gateway_spec *spec,
		 __u64 given, enum spec_how how)
{
	struct tsw_gateway old, want = {};
	struct tsw_tenant its;
	bool exists;
	__u32 id;
	int err;

	if (how == SPEC_SET)
		return set(t, tenant, spec, given);
	err = tenant_find(t, tenant, &id, &its);
	if (err)
		return err;
	err = gateway_get(t, id, &old);
	exists = !err;
	if (err && err != -ENOENT)
		return err;
	/* A pending gateway was never completed, so `add` completes it. */
	if (exists && how == SPEC_ADD && !(old.flags & TSW_GATEWAY_PENDING))
		return rule_has_gateway(its.name, &old.addr[0]);
	if (exists)
		want = old;
	make_default(id, given, &want);
	err = take(t, spec, given, &want);
	return err ?: gateway_change(t, id, exists ? &old : NULL, &want);
}

static int name_of(const struct tsw *t, __u32 id, struct tsw_name *name)
{
	*name = host_name_of(t, id);
	return *name->s ? 0 : fail(ENOENT, "the gateway's host is gone");
}

int spec_get_gateway(const struct tsw *t, const struct tsw_gateway *gw,
		     struct tsw_gateway_spec *spec)
{
	__u32 i;
	int err = 0;

	gateway_to_spec(gw, spec);
	for (i = 0; i < gw->n_ranks && !err; i++)
		err = name_of(t, gw->rank[i], i ? &spec->backup.at[i - 1] : &spec->host);
	spec->backup.n = gw->n_ranks ? gw->n_ranks - 1 : 0;
	return err;
}
