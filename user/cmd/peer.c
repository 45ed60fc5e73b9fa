// SPDX-License-Identifier: GPL-2.0-only
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/field_json.h"
#include "base/json.h"
#include "cluster/peers.h"
#include "cmd/cmd.h"
#include "cmd/show.h"
#include "object/spec.h"
#include "record/counters.h"
#include "record/peer_pair.h"
#include "record/tenant_find.h"

int fit_peer(struct words *w)
{
	return spec_check_peer(w->given);
}

static json_t *add(struct show *s, const struct tsw_peer_spec *spec, bool open)
{
	json_t *item = show_of_tenant(s, spec->tenant.s, peer_fields, 0, spec);

	json_object_set_new(item, "with", json_text(spec->with.s));
	json_object_set_new(item, "proto", json_null());
	json_object_set_new(item, "port", json_null());
	fields_add(peer_fields, (spec->port ? PEER_SERVICE : 0) | FIELD(PEER_PREFIX), spec, item);
	json_object_set_new(item, "open", json_boolean(open));
	return item;
}

/* ---- of the switch ---------------------------------------------------------------- */

static void read_name(const struct tenants *all, __u32 id, struct tsw_name *name)
{
	const struct tsw_tenant *tenant = tenants_find(all, id);

	if (tenant)
		memcpy(name->s, tenant->name, sizeof(name->s));
}

static int add_row(struct show *s, const struct tenants *tenants, const struct tsw_peer_key *key)
{
	struct pair pair;
	int err = pair_load(&s->cli->tsw, key->of, key->with, &pair);
	const struct tsw_peer *half = &pair.side[0].half;
	struct tsw_peer_spec spec = {};
	json_t *item;
	__u16 port;
	__u8 proto;

	if (err)
		return err;
	read_name(tenants, key->of, &spec.tenant);
	read_name(tenants, key->with, &spec.with);
	spec.proto = half->proto == IPPROTO_UDP ? TSW_PROTO_UDP : TSW_PROTO_TCP;
	spec.port = half->port;
	spec.prefix.n = half->n_prefixes;
	memcpy(spec.prefix.at, half->prefix, sizeof(spec.prefix.at));
	item = add(s, &spec,
		   pair.side[0].there && pair.side[1].there && peer_common(&pair, &proto, &port));
	if (half->flags & TSW_PEER_PENDING)
		json_object_set_new(item, "pending", json_true());
	return 0;
}

static int show_switch(struct show *s)
{
	static const char *const order[] = {"tenant", "with", NULL};
	cleanup_tenants struct tenants tenants = {};
	cleanup_free struct tsw_peer_key *all = NULL;
	struct tsw *t = &s->cli->tsw;
	__u32 of;
	size_t n, i;
	int err = tenant_id(t, &s->w->name, &of);

	err = err ?: peer_list(t, of, &all, &n);
	err = err ?: tenants_read(t, &tenants);
	for (i = 0; !err && i < n; i++)
		if (!of || all[i].of == of)
			err = add_row(s, &tenants, &all[i]);
	return err ?: show_sort(s, order);
}

/* ---- of a cluster ----------------------------------------------------------------- */

static bool is_open(const struct tsw_peer_spec *a, const struct tsw_peer_spec *b)
{
	struct pair pair = {};
	__u16 port;
	__u8 proto;

	if (!b)
		return false;
	pair.side[0].half.port = (__u16)a->port;
	pair.side[0].half.proto = a->port ? proto_number(a->proto) : 0;
	pair.side[1].half.port = (__u16)b->port;
	pair.side[1].half.proto = b->port ? proto_number(b->proto) : 0;
	return peer_common(&pair, &proto, &port);
}

static int add_record(void *show, const struct tsw_peer_spec *spec,
		      const struct tsw_peer_spec *other)
{
	add(show, spec, is_open(spec, other));
	return 0;
}

int show_peers(struct show *s)
{
	return s->r ? cluster_peers(s->r, &s->w->name, &s->refused, add_record, s) : show_switch(s);
}
