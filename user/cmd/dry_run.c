// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cluster/whole.h"
#include "cmd/dry_edit.h"
#include "cmd/dry_run.h"
#include "cmd/records.h"
#include "record/fields.h"
#include "state/check.h"
#include "state/devices.h"
#include "state/diff.h"
#include "state/missing.h"
#include "state/now.h"
#include "state/read.h"
#include "state/report.h"
#include "state/save.h"
#include "switch/session.h"

struct dry {
	struct cli *cli;
	json_t *all; /* the state so far */
	bool sound;  /* apply would take it */
};

static const char *own_of(const struct cli *cli)
{
	return cli->cluster ? NULL : cli->tsw.config.name;
}

/* ---- the state ------------------------------------------------------------------------ */

static json_t *json_of(const struct state *s)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	json_t *json = NULL;
	int err = f ? state_save(f, s, false) : -1;

	if (f && !fclose(f) && !err)
		json = json_loadb(text, len, 0, NULL);
	free(text);
	return json;
}

static int read_switch(struct cli *cli, json_t **all)
{
	cleanup_state struct state s = {};
	int err = state_now(&cli->tsw, NULL, &s);

	*all = err ? NULL : json_of(&s);
	return err || *all ? err : fail_memory();
}

static int read_cluster(struct cli *cli, json_t **all)
{
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	err = err ?: cluster_whole(r, all, &refused);
	records_note_refused(cli, refused);
	return err;
}

static bool is_sound(const json_t *all)
{
	cleanup_state struct state s = {};

	return !state_read(all, &s) && !state_check(&s);
}

/* ---- one change ----------------------------------------------------------------------- */

/* The diff leaves an endpoint alone only if its device is known to exist. */
static int find_devices(struct state *have, struct state *want)
{
	cleanup_devices struct devices devices = {};
	int err = devices_read(&devices);

	if (!err) {
		state_find_devices(have, &devices);
		state_find_devices(want, &devices);
	}
	return err;
}

/* Both states are read anew, because the diff joins them by their indices. */
static int read_both(const struct dry *d, const json_t *changed, struct state *have,
		     struct state *want)
{
	const char *own = own_of(d->cli);
	int err = state_read(d->all, have);

	err = err ?: state_read(changed, want);
	if (!err && d->sound)
		err = state_check(want);
	have->whole = want->whole = !own;
	if (!err && own)
		err = state_take_own(have, own);
	if (!err && own)
		err = state_take_own(want, own);
	return err || !own ? err : find_devices(have, want);
}

/* Prints `auto` for a value that the command would choose. */
static void tell_auto(json_t *item, __u32 automatic)
{
	if (automatic & TSW_AUTO_ID && json_object_get(item, "id"))
		json_object_set_new(item, "id", json_string("auto"));
	if (automatic & TSW_AUTO_MAC && json_object_get(item, "mac"))
		json_object_set_new(item, "mac", json_string("auto"));
	if (automatic & TSW_AUTO_IP)
		json_object_set_new(item, "ip", json_pack("[s]", "auto"));
}

static int list_changes(const struct dry *d, const json_t *changed, __u32 automatic, json_t *list)
{
	cleanup_state struct state have = {}, want = {};
	struct changes changes = {};
	json_t *item;
	size_t i;
	int err = read_both(d, changed, &have, &want);

	err = err ?: state_diff(&have, &want, &changes);
	for (i = 0; !err && i < changes.n; i++) {
		item = state_change_json(&have, &want, &changes.all[i]);
		tell_auto(item, automatic);
		json_array_append_new(list, item);
	}
	changes_free(&changes);
	return err;
}

static int print_changes(const struct dry *d, const json_t *changed, __u32 automatic)
{
	json_t *list = json_array();
	int err = list_changes(d, changed, automatic, list);

	if (err)
		json_decref(list);
	else
		out_list(&d->cli->out, list);
	return err;
}

/* A refusal of the new state is an error of the command, not of a file. */
static int refuse(int err)
{
	struct failure why = *failure();

	why.status = EXIT_CANNOT;
	return err ? fail_again(&why) : 0;
}

static int change(const struct backend *b, const struct object *o, struct dry_edit *e,
		  __u32 automatic)
{
	struct dry *d = b->dry;
	json_t *changed = json_deep_copy(d->all);
	int err = changed ? 0 : fail_memory();

	e->all = changed;
	e->own = own_of(d->cli);
	err = err ?: dry_edit(e, o);
	err = err ?: refuse(print_changes(d, changed, automatic));
	if (err) {
		json_decref(changed);
		return err;
	}
	json_decref(d->all);
	d->all = changed;
	return 0;
}

static __u32 automatic_of(const struct dry *d, const struct object *o, __u64 given,
			  enum spec_how how)
{
	const bool chooses = d->cli->cluster && how != SPEC_SET;

	if (o->kind == OBJECT_TENANT)
		return o->spec.tenant.automatic |
		       (chooses && !(given & FIELD(TENANT_ID)) ? TSW_AUTO_ID : 0);
	if (o->kind == OBJECT_ENDPOINT)
		return o->spec.endpoint.automatic |
		       (chooses && !(given & FIELD(ENDPOINT_MAC)) ? TSW_AUTO_MAC : 0);
	return 0;
}

static int put(const struct backend *b, struct object *o, __u64 given, enum spec_how how)
{
	struct dry_edit e = {.given = given, .how = how};

	return change(b, o, &e, automatic_of(b->dry, o, given, how));
}

static int del(const struct backend *b, struct object *o, bool force)
{
	struct dry_edit e = {.how = SPEC_SET, .del = true, .force = force};

	return change(b, o, &e, 0);
}

/* There is nothing to wait for. */
static int await(const struct backend *b, const struct object *o, bool gone, unsigned int ms)
{
	(void)b, (void)o, (void)gone, (void)ms;
	return 0;
}

/* Only plug-ins use the other calls, and they have no dry run. */
static const struct backend_calls dry_calls = {.put = put, .del = del, .await = await};

int dry_alone(void)
{
	return fail(EBUSY, "a dry run of switch, cluster or agent commands stands alone: it does "
			   "not see what other lines of a batch would change");
}

int dry_backend(struct cli *cli, struct backend *b)
{
	struct dry *d = cli->dry;
	int err = 0;

	if (cli->planned)
		return dry_alone();
	if (!d) {
		d = cli->dry = calloc(1, sizeof(*d));
		if (!d)
			return fail_memory();
		d->cli = cli;
	}
	if (!d->all) {
		err = cli->cluster ? read_cluster(cli, &d->all) : read_switch(cli, &d->all);
		d->sound = !err && is_sound(d->all);
	}
	*b = (struct backend){.calls = &dry_calls, .dry = d};
	return err;
}

/* ---- without the switch --------------------------------------------------------------- */

/* ALL without objects, but for the host NAME. */
static json_t *only_host(const json_t *all, const char *name)
{
	json_t *hosts = json_array(), *host;
	size_t i;

	json_array_foreach(json_object_get(all, "hosts"), i, host)
		if (!strcmp(json_string_value(json_object_get(host, "name")), name))
			json_array_append(hosts, host);
	return json_pack("{s:O, s:o}", "format", json_object_get(all, "format"), "hosts", hosts);
}

int dry_objects_gone(struct cli *cli, json_t *list)
{
	struct dry d = {.cli = cli};
	json_t *none;
	int err = session_open(&cli->tsw);

	err = err ?: read_switch(cli, &d.all);
	if (err)
		return err;
	none = only_host(d.all, own_of(cli));
	err = list_changes(&d, none, 0, list);
	json_decref(none);
	json_decref(d.all);
	return err;
}

void dry_free(struct cli *cli)
{
	if (cli->dry)
		json_decref(cli->dry->all);
	free(cli->dry);
	cli->dry = NULL;
}
