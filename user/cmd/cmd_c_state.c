// SPDX-License-Identifier: GPL-2.0-only
/* The whole cluster as one state: save, apply, diff, import. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "cluster/check.h"
#include "cluster/endpoint.h"
#include "cluster/gateway.h"
#include "cluster/group.h"
#include "cluster/hosts.h"
#include "cluster/peers.h"
#include "cluster/policy.h"
#include "cluster/publish.h"
#include "cluster/tenant.h"
#include "cluster/whole.h"
#include "cmd/cmd.h"
#include "cmd/records.h"
#include "state/state_check.h"
#include "state/state_diff.h"
#include "state/state_json.h"
#include "state/state_read.h"
#include "state/state_report.h"
#include "state/state_save.h"

struct run {
	struct records *r;
	struct state have, want;
	struct changes changes;
	size_t done, refused;
	size_t left; /* hosts that the file has not */
};

static void end(struct run *run)
{
	state_free(&run->have);
	state_free(&run->want);
	changes_free(&run->changes);
}

/* Words that are about this host. */
static int refuse_words(const struct words *w)
{
	if (!(w->given & ~W_NAME))
		return 0;
	return misuse("with -c it takes no more words: a cluster has no device to wait for, and no "
		      "host that is this one");
}

static int read_whole(struct cli *cli, struct run *run, json_t **whole)
{
	int err = records_begin(cli, &run->r);

	*whole = NULL;
	err = err ?: cluster_whole(run->r, whole, &run->refused);
	return err ?: state_read(*whole, &run->have);
}

static void tell_refused(struct cli *cli, const struct run *run)
{
	if (run->refused)
		note(&cli->tsw.log, "records that are not as tsw writes them, and left out: %zu",
		     run->refused);
}

int cmd_c_save(struct cli *cli, const struct words *w)
{
	struct run run = {};
	json_t *whole = NULL;
	int err = refuse_words(w);

	err = err ?: read_whole(cli, &run, &whole);
	json_decref(whole);
	err = err ?: state_save(stdout, &run.have, cli->out.pretty);
	tell_refused(cli, &run);
	end(&run);
	return err;
}

/* ---- what is to be done ------------------------------------------------------------ */

/* The file alone, and then with what of the cluster stays, is right in itself. */
static int read_want(struct run *run, const char *name, const json_t *whole, bool import)
{
	json_t *file;
	int err = state_read_text(name, &file);

	if (!err)
		err = state_read(file, &run->want);
	if (!err)
		err = state_check(&run->want);
	state_free(&run->want);
	if (!err) {
		run->left = cluster_merge(file, whole, !import);
		err = state_read(file, &run->want);
		if (!err)
			err = state_check(&run->want);
		if (err)
			fail_more("; with what is in the cluster already");
	}
	json_decref(file);
	return err;
}

/* A tenant with another id is another one, and the one that is there would go. */
static int refuse_deletion(const struct run *run)
{
	const struct tsw_tenant_spec *spec;
	size_t i;

	for (i = 0; i < run->changes.n; i++) {
		if (run->changes.all[i].what != CHANGE_DEL ||
		    run->changes.all[i].object != OBJECT_TENANT)
			continue;
		spec = &run->have.tenant[run->changes.all[i].have].spec;
		return fail(EEXIST,
			    "tenant %s has the id %u in the cluster, and another in the file: "
			    "import deletes nothing",
			    quoted(spec->name.s), spec->id);
	}
	return 0;
}

/* In S, where a tenant's are sorted by name; or NULL. */
static const struct state_endpoint *find_endpoint(const struct state *s, const char *tenant,
						  const char *name)
{
	const __u32 found = state_find_tenant(s, tenant);
	const struct state_tenant *its = found == STATE_NONE ? NULL : &s->tenant[found];
	size_t low = its ? its->first : 0, high = its ? its->first + its->n : 0;
	int order;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		order = strcmp(s->endpoint[middle].name.s, name);
		if (!order)
			return &s->endpoint[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* What one host saved does not tell others' devices: an endpoint that stays there keeps its own. */
static void keep_devices(struct run *run)
{
	const struct state *have = &run->have, *want = &run->want;
	const struct state_endpoint *old;
	size_t i;

	for (i = 0; i < want->n_endpoints; i++) {
		struct state_endpoint *ep = &want->endpoint[i];

		if (ep->dev[0] && (ep->to == STATE_NONE || ep->to_dev[0]))
			continue;
		old = find_endpoint(have, want->tenant[ep->tenant].spec.name.s, ep->name.s);
		if (old && !ep->dev[0] &&
		    !strcmp(have->host[old->host].spec.name.s, want->host[ep->host].spec.name.s))
			memcpy(ep->dev, old->dev, sizeof(ep->dev));
		if (old && old->to != STATE_NONE && ep->to != STATE_NONE && !ep->to_dev[0] &&
		    !strcmp(have->host[old->to].spec.name.s, want->host[ep->to].spec.name.s))
			memcpy(ep->to_dev, old->to_dev, sizeof(ep->to_dev));
	}
}

static int prepare(struct cli *cli, const struct words *w, bool import, struct run *run)
{
	json_t *whole = NULL;
	int err = refuse_words(w);

	err = err ?: read_whole(cli, run, &whole);
	err = err ?: read_want(run, w->file, whole, import);
	json_decref(whole);
	if (err)
		return err;
	keep_devices(run);
	run->have.whole = run->want.whole = true;
	err = state_diff(&run->have, &run->want, &run->changes);
	if (!err && import)
		err = refuse_deletion(run);
	if (!err && !import && run->left)
		note(&cli->tsw.log,
		     "hosts of the cluster that the file has not, and that are left: %zu",
		     run->left);
	tell_refused(cli, run);
	return err;
}

/* ---- doing it ----------------------------------------------------------------------- */

/* An object of a state as what the records' own functions take. Takes JSON. */
static int spec_of(json_t *json, enum record_kind kind, void *spec)
{
	char *text = json_dumps(json, JSON_COMPACT);
	int err = text ? record_read(kind, text, spec) : fail_memory();

	free(text);
	json_decref(json);
	return err;
}

static int do_host(struct run *run, const struct change *c)
{
	struct tsw_host_spec spec = {};
	int err;

	if (c->what == CHANGE_DEL)
		return cluster_host_remove(run->r, &run->have.host[c->have].spec.name);
	err = spec_of(state_host_json(&run->want, c->want), RECORD_HOST, &spec);
	return err ?: cluster_host_make(run->r, &spec, HOST_TOLD, SPEC_PUT);
}

static int do_tenant(struct run *run, const struct change *c)
{
	const struct tsw_tenant_spec *spec;

	if (c->what == CHANGE_DEL)
		return cluster_tenant_del(run->r, &run->have.tenant[c->have].spec.name, false);
	spec = &run->want.tenant[c->want].spec;
	return cluster_tenant_put(run->r, spec, FIELD(TENANT_GATEWAY) - 1, SPEC_PUT, NULL);
}

static int do_endpoint(struct run *run, const struct change *c)
{
	const struct state *s = c->what == CHANGE_DEL ? &run->have : &run->want;
	const __u32 i = c->what == CHANGE_DEL ? c->have : c->want;
	struct tsw_endpoint_spec spec = {};
	const struct tsw_name *tenant = &s->tenant[s->endpoint[i].tenant].spec.name;
	int err;

	if (c->what == CHANGE_DEL)
		return cluster_endpoint_del(run->r, tenant, &s->endpoint[i].name, NULL);
	err = spec_of(state_endpoint_json(s, i), RECORD_ENDPOINT, &spec);
	spec.tenant = *tenant;
	return err ?: cluster_endpoint_put(run->r, &spec, ~0ULL, SPEC_PUT, NULL);
}

static int do_gateway(struct run *run, const struct change *c)
{
	struct tsw_gateway_spec spec = {};
	int err;

	if (c->what == CHANGE_DEL)
		return cluster_gateway_del(run->r, &run->have.tenant[c->have].spec.name, false);
	err = spec_of(state_gateway_json(&run->want, c->want), RECORD_GATEWAY, &spec);
	if (err)
		return err;
	return cluster_gateway_put(run->r, &run->want.tenant[c->want].spec.name, &spec,
				   GATEWAY_IN_FILE, SPEC_PUT);
}

static int do_publish(struct run *run, const struct change *c)
{
	const struct state *s = c->what == CHANGE_DEL ? &run->have : &run->want;
	const __u32 i = c->what == CHANGE_DEL ? c->have : c->want;
	const struct tsw_name *tenant = &s->tenant[s->publish[i].tenant].spec.name;
	struct tsw_publish_spec spec = {};
	int err = spec_of(state_publish_json(s, i), RECORD_PUBLISH, &spec);

	if (err)
		return err;
	return c->what == CHANGE_DEL ? cluster_publish_del(run->r, tenant, &spec)
				     : cluster_publish_add(run->r, tenant, &spec);
}

static int do_peer(struct run *run, const struct change *c)
{
	const struct state *s = c->what == CHANGE_DEL ? &run->have : &run->want;
	struct tsw_peer_spec spec = {};
	int err = spec_of(state_peer_json(s, c->what == CHANGE_DEL ? c->have : c->want),
			  RECORD_PEER, &spec);

	if (err)
		return err;
	return c->what == CHANGE_DEL ? cluster_peer_del(run->r, &spec.tenant, &spec.with)
				     : cluster_peer_add(run->r, &spec);
}

static int do_group(struct run *run, const struct change *c)
{
	const struct state *s = c->what == CHANGE_DEL ? &run->have : &run->want;
	const struct state_group *group = &s->group[c->what == CHANGE_DEL ? c->have : c->want];
	const struct tsw_name *tenant = &s->tenant[group->tenant].spec.name;

	return c->what == CHANGE_DEL ? cluster_group_del(run->r, tenant, &group->name)
				     : cluster_groups_add(run->r, tenant, &group->name, 1);
}

static int do_policy(struct run *run, const struct change *c)
{
	const struct state *s = c->what == CHANGE_DEL ? &run->have : &run->want;
	const struct state_policy *p = &s->policy[c->what == CHANGE_DEL ? c->have : c->want];
	const struct tsw_name *tenant = &s->tenant[p->tenant].spec.name;

	return c->what == CHANGE_DEL
		       ? cluster_policy_del(run->r, tenant, &p->spec.name)
		       : cluster_policy_put(run->r, tenant, &p->spec, ~0ULL, SPEC_PUT);
}

static int do_one(struct run *run, const struct change *c)
{
	switch (c->object) {
	case OBJECT_HOST:
		return do_host(run, c);
	case OBJECT_TENANT:
		return do_tenant(run, c);
	case OBJECT_ENDPOINT:
		return do_endpoint(run, c);
	case OBJECT_GATEWAY:
		return do_gateway(run, c);
	case OBJECT_PUBLISH:
		return do_publish(run, c);
	case OBJECT_GROUP:
		return do_group(run, c);
	case OBJECT_POLICY:
		return do_policy(run, c);
	}
	return do_peer(run, c);
}

/* Each has its own time: all of them together may be many. */
static int do_all(struct cli *cli, struct run *run)
{
	struct records *r;
	int err = 0;

	while (!err && run->done < run->changes.n) {
		err = records_begin(cli, &r);
		err = err ?: do_one(run, &run->changes.all[run->done]);
		run->done += !err;
	}
	if (!err)
		return 0;
	fail_where("%s: ", escaped(state_change_text(&run->have, &run->want,
						     &run->changes.all[run->done])));
	fail_more("; changes that are done: %zu of %zu; apply it again to do the rest", run->done,
		  run->changes.n);
	return err;
}

/* ---- telling ------------------------------------------------------------------------ */

static json_t *list(const struct run *run, size_t from, size_t to)
{
	json_t *all = json_array();

	for (; from < to; from++)
		json_array_append_new(all, state_change_json(&run->have, &run->want,
							     &run->changes.all[from]));
	return all;
}

/* What was done, and what was not, beside the error. */
static void tell_failure(struct cli *cli, const struct run *run)
{
	const struct failure why = *failure();

	if (cli->out.json)
		cli->out.aside = json_pack("{s:o, s:o}", "done", list(run, 0, run->done),
					   "not_done", list(run, run->done, run->changes.n));
	else
		records_show(cli, list(run, 0, run->done), 0, 0);
	fail_again(&why);
}

static int apply(struct cli *cli, const struct words *w, bool import)
{
	struct run run = {};
	bool began;
	int err = prepare(cli, w, import, &run);

	began = !err;
	err = err ?: do_all(cli, &run);
	if (!err)
		records_show(cli, list(&run, 0, run.done), 0, 0);
	else if (began)
		tell_failure(cli, &run);
	end(&run);
	return err;
}

int cmd_c_apply(struct cli *cli, const struct words *w)
{
	return apply(cli, w, false);
}

int cmd_cluster_import(struct cli *cli, const struct words *w)
{
	return apply(cli, w, true);
}

int cmd_c_diff(struct cli *cli, const struct words *w)
{
	struct run run = {};
	int err = prepare(cli, w, false, &run);

	if (!err) {
		records_show(cli, list(&run, 0, run.changes.n), 0, 0);
		cli->bad |= run.changes.n > 0;
	}
	end(&run);
	return err;
}

int cmd_c_check(struct cli *cli, const struct words *w)
{
	json_t *problems = json_array();
	struct records *r;
	int err = records_begin(cli, &r);

	(void)w;
	err = err ?: cluster_check(r, problems);
	if (err) {
		json_decref(problems);
		return err;
	}
	cli->bad |= json_array_size(problems) > 0;
	out_object(&cli->out, json_pack("{s:b, s:o, s:[]}", "ok", !json_array_size(problems),
					"problems", problems, "warnings"));
	return 0;
}
