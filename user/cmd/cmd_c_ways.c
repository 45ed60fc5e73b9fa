// SPDX-License-Identifier: GPL-2.0-only
/* Published ports and peerings: what leads into a tenant. */
#include <netinet/in.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/json.h"
#include "cluster/peers.h"
#include "cluster/publish.h"
#include "cmd/cmd.h"
#include "cmd/records.h"
#include "record/fields.h"
#include "record/peer_pair.h"

int cmd_c_publish_add(struct cli *cli, const struct words *w)
{
	struct records *r;
	int err = records_begin(cli, &r);

	return err ?: cluster_publish_add(r, &w->name, &w->publish);
}

int cmd_c_publish_del(struct cli *cli, const struct words *w)
{
	struct records *r;
	int err = records_begin(cli, &r);

	return err ?: cluster_publish_del(r, &w->name, &w->publish);
}

static int add_publish(void *list, const char *tenant, const struct tsw_publish_spec *spec)
{
	json_t *item = json_pack("{s:o}", "tenant", json_text(tenant));
	json_t *fields = fields_json(publish_fields, ~0ULL, spec);

	json_object_update(item, fields);
	json_decref(fields);
	json_array_append_new(list, item);
	return 0;
}

int cmd_c_publish_show(struct cli *cli, const struct words *w)
{
	json_t *list = json_array();
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	err = err ?: cluster_publishes(r, &w->name, &refused, add_publish, list);
	return records_show(cli, list, refused, err);
}

int cmd_c_peer_add(struct cli *cli, const struct words *w)
{
	struct tsw_peer_spec spec = w->peer;
	struct records *r;
	int err = records_begin(cli, &r);

	spec.tenant = w->name;
	return err ?: cluster_peer_add(r, &spec);
}

int cmd_c_peer_del(struct cli *cli, const struct words *w)
{
	struct records *r;
	int err = records_begin(cli, &r);

	return err ?: cluster_peer_del(r, &w->name, &w->peer.with);
}

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

static int add_peer(void *list, const struct tsw_peer_spec *spec, const struct tsw_peer_spec *other)
{
	json_t *fields = fields_json(peer_fields, ~0ULL, spec);

	json_array_append_new(
		list, json_pack("{s:o, s:o, s:O, s:o, s:O, s:b}", "tenant",
				json_text(spec->tenant.s), "with", json_text(spec->with.s), "proto",
				spec->port ? json_object_get(fields, "proto") : json_null(), "port",
				spec->port ? json_integer(spec->port) : json_null(), "prefix",
				json_object_get(fields, "prefix"), "open", is_open(spec, other)));
	json_decref(fields);
	return 0;
}

int cmd_c_peer_show(struct cli *cli, const struct words *w)
{
	json_t *list = json_array();
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	err = err ?: cluster_peers(r, &w->name, &refused, add_peer, list);
	return records_show(cli, list, refused, err);
}
