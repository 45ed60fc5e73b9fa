// SPDX-License-Identifier: GPL-2.0-only
/* The whole cluster as one state: save, apply, diff, import. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "cluster/check.h"
#include "cluster/whole.h"
#include "cmd/cluster.h"
#include "cmd/cmd.h"
#include "cmd/records.h"
#include "state/check.h"
#include "state/diff.h"
#include "state/json.h"
#include "state/read.h"
#include "state/report.h"
#include "state/save.h"

struct run {
	struct records *r;
	struct state have, want;
	struct changes changes;
	size_t done, refused;
	size_t left; /* hosts that the file does not have */
};

static void end(struct run *run)
{
	state_free(&run->have);
	state_free(&run->want);
	changes_free(&run->changes);
}

/* Refuses words that are about one host. */
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

int cmd_whole_save(struct cli *cli, const struct words *w)
{
	struct run run = {};
	json_t *whole = NULL;
	int err = refuse_words(w);

	err = err ?: read_whole(cli, &run, &whole);
	json_decref(whole);
	err = err ?: state_save(stdout, &run.have, cli->out.pretty);
	records_note_refused(cli, run.refused);
	end(&run);
	return err;
}

/* ---- what is to be done ------------------------------------------------------------ */

/* Checks the file alone, and then with those records of the cluster that stay. */
static int read_want(struct run *run, const char *name, const json_t *whole, bool import)
{
	json_t *file;
	int err = state_read_text(name, &file);

	err = err ?: state_read(file, &run->want);
	err = err ?: state_check(&run->want);
	state_free(&run->want);
	if (!err) {
		run->left = cluster_merge(file, whole, !import);
		err = state_read(file, &run->want);
		err = err ?: state_check(&run->want);
		if (err)
			fail_more("; with what is in the cluster already");
	}
	json_decref(file);
	return err;
}

/* Refuses a tenant with another id: import would delete the present tenant. */
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

/* An endpoint of S, in which a tenant's endpoints are sorted by name; or NULL. */
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

/* A file of one host lacks the devices of others: an endpoint that stays there keeps its own. */
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
	records_note_refused(cli, run->refused);
	return err;
}

/* ---- doing it ----------------------------------------------------------------------- */

/* The Ith of KIND in S. */
static struct object object_of(const struct state *s, enum object_kind kind, __u32 i)
{
	const bool has_tenant = kind != OBJECT_HOST && kind != OBJECT_PEER;
	const __u32 tenant = kind == OBJECT_ENDPOINT  ? s->endpoint[i].tenant
			     : kind == OBJECT_PUBLISH ? s->publish[i].tenant
			     : kind == OBJECT_GROUP   ? s->group[i].tenant
			     : kind == OBJECT_POLICY  ? s->policy[i].tenant
						      : i;
	struct object o = {.kind = kind};

	if (has_tenant)
		o.tenant = s->tenant[tenant].spec.name;
	switch (kind) {
	case OBJECT_HOST:
		o.spec.host = s->host[i].spec;
		break;
	case OBJECT_TENANT:
		o.spec.tenant = s->tenant[i].spec;
		break;
	case OBJECT_GROUP:
		o.spec.group = s->group[i].name;
		o.groups = &s->group[i].name;
		o.n_groups = 1;
		break;
	case OBJECT_ENDPOINT:
		o.spec.endpoint = state_endpoint_spec(s, i);
		o.spec.endpoint.tenant = o.tenant;
		break;
	case OBJECT_GATEWAY:
		o.spec.gateway = state_gateway_spec(s, i);
		break;
	case OBJECT_PUBLISH:
		o.spec.publish = state_publish_spec(s, i);
		break;
	case OBJECT_PEER:
		o.spec.peer = state_peer_spec(s, i);
		break;
	default:
		o.spec.policy = s->policy[i].spec;
	}
	return o;
}

static int do_one(const struct run *run, const struct change *c)
{
	const struct backend b = backend_of(NULL, run->r);
	const bool gone = c->what == CHANGE_DEL;
	struct object o =
		object_of(gone ? &run->have : &run->want, c->object, gone ? c->have : c->want);

	return gone ? b.calls->del(&b, &o, false) : b.calls->put(&b, &o, ~0ULL, SPEC_PUT);
}

/* Each change has the whole timeout, because there may be many changes. */
static int do_all(struct cli *cli, struct run *run)
{
	struct records *r;
	int err = 0;

	while (!err && run->done < run->changes.n) {
		err = records_begin(cli, &r);
		err = err ?: do_one(run, &run->changes.all[run->done]);
		run->done += !err;
	}
	return err ? state_failed(&run->have, &run->want, &run->changes, run->done) : 0;
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

/* Prints the changes that were made; JSON has them, and those that were not, in the error. */
static void tell_failure(struct cli *cli, const struct run *run)
{
	const struct failure why = *failure();

	if (cli->out.json)
		cli->out.aside = json_pack("{s:o, s:o}", "done", list(run, 0, run->done),
					   "not_done", list(run, run->done, run->changes.n));
	else
		out_list(&cli->out, list(run, 0, run->done));
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
		out_list(&cli->out, list(&run, 0, run.done));
	else if (began)
		tell_failure(cli, &run);
	end(&run);
	return err;
}

int cmd_whole_apply(struct cli *cli, const struct words *w)
{
	return apply(cli, w, false);
}

int cmd_cluster_import(struct cli *cli, const struct words *w)
{
	return apply(cli, w, true);
}

static int diff(struct cli *cli, const struct words *w, bool import)
{
	struct run run = {};
	int err = prepare(cli, w, import, &run);

	if (!err) {
		out_list(&cli->out, list(&run, 0, run.changes.n));
		cli->bad |= run.changes.n > 0;
	}
	end(&run);
	return err;
}

int cmd_whole_diff(struct cli *cli, const struct words *w)
{
	return diff(cli, w, false);
}

int cmd_cluster_import_dry(struct cli *cli, const struct words *w)
{
	return diff(cli, w, true);
}

int cmd_whole_check(struct cli *cli, const struct words *w)
{
	json_t *problems = json_array();
	struct records *r;
	int err = records_begin(cli, &r);

	(void)w;
	err = err ?: cluster_check(r, problems);
	err = err ?: orphans_check(cli, r, problems);
	if (!err)
		cluster_check_reached(r, problems);
	if (err) {
		json_decref(problems);
		return err;
	}
	cli->bad |= json_array_size(problems) > 0;
	out_object(&cli->out, json_pack("{s:b, s:o, s:[]}", "ok", !json_array_size(problems),
					"problems", problems, "warnings"));
	return 0;
}
