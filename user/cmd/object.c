// SPDX-License-Identifier: GPL-2.0-only
/* The verbs of every object, of this host's switch or, with -c, of a cluster's records. */
#include <stdlib.h>

#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/dry_run.h"
#include "cmd/records.h"
#include "cmd/show.h"
#include "kernel/link.h"
#include "store/pins.h"

/* ---- show ------------------------------------------------------------------------- */

static int end(struct show *s, int err)
{
	if (!err) {
		show_print(s);
		out_list_end(&s->cli->out);
		records_note_refused(s->cli, s->refused);
	}
	json_decref(s->list);
	return err;
}

int cmd_show(struct cli *cli, const struct words *w)
{
	static int (*const shows[OBJECT_KINDS])(struct show * s) = {
		[OBJECT_HOST] = show_hosts,	  [OBJECT_TENANT] = show_tenants,
		[OBJECT_GROUP] = show_groups,	  [OBJECT_ENDPOINT] = show_endpoints,
		[OBJECT_GATEWAY] = show_gateways, [OBJECT_PUBLISH] = show_publishes,
		[OBJECT_PEER] = show_peers,	  [OBJECT_POLICY] = show_policies,
	};
	struct show s = {.cli = cli, .w = w, .list = json_array()};
	int err = cli->cluster ? records_begin(cli, &s.r) : 0;

	return end(&s, err ?: shows[w->kind](&s));
}

/* Shows a tenant or an endpoint that was just made, because values were chosen for it. */
static int show_made(struct cli *cli, const struct object *o)
{
	const struct tsw_endpoint_spec *spec = &o->spec.endpoint;
	struct words w = {.kind = o->kind, .name = o->spec.tenant.name};
	struct show s = {.cli = cli, .w = &w, .r = cli->records};
	const bool counters = cli->counters;
	int err;

	if (o->kind == OBJECT_ENDPOINT) {
		w.name = spec->name;
		w.endpoint.tenant = spec->tenant;
	}
	if (o->kind == OBJECT_ENDPOINT && cli->cluster) {
		s.list = json_array();
		return end(&s, show_endpoint(&s, spec));
	}
	cli->counters = false; /* it has counted nothing yet */
	err = cmd_show(cli, &w);
	cli->counters = counters;
	return err;
}

/* ---- change ----------------------------------------------------------------------- */

/* The words are in the specification of the kind already, except for names and `auto`. */
static struct object object_of(const struct words *w)
{
	struct object o = {.kind = w->kind, .tenant = w->name};

	switch (w->kind) {
	case OBJECT_HOST:
		o.spec.host = w->host;
		o.spec.host.name = w->name;
		break;
	case OBJECT_TENANT:
		o.spec.tenant = w->tenant;
		o.spec.tenant.name = w->name;
		o.spec.tenant.automatic = w->automatic;
		break;
	case OBJECT_GROUP:
		o.spec.group = w->second;
		break;
	case OBJECT_ENDPOINT:
		o.spec.endpoint = w->endpoint;
		o.spec.endpoint.name = w->name;
		o.spec.endpoint.automatic = w->automatic;
		break;
	case OBJECT_GATEWAY:
		o.spec.gateway = w->gateway;
		break;
	case OBJECT_PUBLISH:
		o.spec.publish = w->publish;
		break;
	case OBJECT_PEER:
		o.spec.peer = w->peer;
		o.spec.peer.tenant = w->name;
		break;
	default:
		o.spec.policy = w->policy;
		o.spec.policy.name = w->second;
	}
	return o;
}

/* For records and dry runs: refuses devices that this host does not have. */
static int check_devices(const struct cli *cli, const struct words *w)
{
	struct link dev;
	int err = 0;

	if (w->kind != OBJECT_ENDPOINT || !pins_exist(cli->tsw.instance))
		return 0;
	if (w->given & FIELD(ENDPOINT_DEV))
		err = link_by_name(w->endpoint.dev, &dev);
	if (!err && w->given & FIELD(ENDPOINT_TO_DEV))
		err = link_by_name(w->endpoint.to_dev, &dev);
	return err;
}

/* With -c also refuses fields that only a switch has. */
static int check_cluster(const struct cli *cli, const struct words *w)
{
	if (w->kind == OBJECT_GATEWAY && w->given & FIELD(GATEWAY_DRAIN))
		return misuse("\"drain\" is a switch's own: with -c the gateway moves at once");
	return check_devices(cli, w);
}

/* Whether something was chosen for the object. With -c also what was not given is chosen. */
static bool is_chosen(const struct cli *cli, const struct words *w, enum spec_how how)
{
	const __u64 ids = w->kind == OBJECT_TENANT     ? FIELD(TENANT_ID)
			  : w->kind == OBJECT_ENDPOINT ? FIELD(ENDPOINT_MAC) | FIELD(ENDPOINT_IP)
						       : 0;

	return w->automatic || (cli->cluster && how != SPEC_SET && ids & ~w->given);
}

static int begin(struct cli *cli, struct backend *b)
{
	return cli->changes_nothing ? dry_backend(cli, b) : backend_begin(cli, b);
}

static int put(struct cli *cli, const struct words *w, enum spec_how how)
{
	struct object o = object_of(w);
	struct tsw_name *groups = NULL;
	struct backend b;
	int err = cli->cluster		 ? check_cluster(cli, w)
		  : cli->changes_nothing ? check_devices(cli, w)
					 : 0;

	if (!err && w->kind == OBJECT_GROUP)
		err = groups_read(w, &groups, &o.n_groups);
	o.groups = groups;
	err = err ?: begin(cli, &b);
	err = err ?: b.calls->put(&b, &o, w->given & ~(W_NAME | W_SECOND), how);
	err = err ?: b.calls->await(&b, &o, false, records_wait_ms(cli));
	free(groups);
	return !err && !cli->changes_nothing && is_chosen(cli, w, how) ? show_made(cli, &o) : err;
}

int cmd_add(struct cli *cli, const struct words *w)
{
	return put(cli, w, SPEC_ADD);
}

int cmd_replace(struct cli *cli, const struct words *w)
{
	return put(cli, w, SPEC_PUT);
}

int cmd_set(struct cli *cli, const struct words *w)
{
	return put(cli, w, SPEC_SET);
}

/* `force` is a word of these kinds. */
static bool is_forced(const struct words *w)
{
	return (w->kind == OBJECT_HOST || w->kind == OBJECT_TENANT || w->kind == OBJECT_GATEWAY) &&
	       w->option.force;
}

int cmd_del(struct cli *cli, const struct words *w)
{
	struct object o = object_of(w);
	struct backend b;
	int err = begin(cli, &b);

	err = err ?: b.calls->del(&b, &o, is_forced(w));
	return err ?: b.calls->await(&b, &o, true, records_wait_ms(cli));
}
