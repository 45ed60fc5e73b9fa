// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/field_json.h"
#include "base/json.h"
#include "base/parse.h"
#include "base/problem.h"
#include "base/text.h"
#include "cluster/call.h"
#include "cluster/hosts.h"
#include "cmd/cluster.h"
#include "cmd/cmd.h"
#include "cmd/records.h"
#include "record/hosts.h"
#include "switch/session.h"

enum { STATUS_MS = 2000, WAIT_SECONDS = 30 };
#define LAST_SECOND 253402300799LL /* 9999-12-31T23:59:59Z */

int cluster_check_lock(const struct cli *cli)
{
	return cli->tsw.lock < 0
		       ? 0
		       : fail(EBUSY, "in a batch it stands before all that changes the switch");
}

int cluster_open(const struct cli *cli, struct member *m, struct etcd **e)
{
	int err = cluster_check_lock(cli);

	*e = NULL;
	err = err ?: member_read(cli->tsw.instance, m);
	err = err ?: member_open(m, records_wait_ms(cli), e);
	return err ?: member_check_store(*e, m);
}

static json_t *status_json(const struct etcd_member *member, int err)
{
	const bool healthy = !err && member->led && !*member->alarm;
	json_t *json = json_pack("{s:s, s:b, s:b}", "url", member->url, "healthy", healthy,
				 "leader", member->leader);
	char why[160];

	if (!err)
		json_object_set_new(json, "version", json_text(member->version));
	if (healthy)
		return json;
	snprintf(why, sizeof(why), "it has the alarm %s%s", quoted(member->alarm),
		 strcmp(member->alarm, "NOSPACE") ? ""
						  : ", so etcd refuses changes: give it room, and "
						    "run etcdctl alarm disarm");
	json_object_set_new(json, "problem",
			    json_text(err	       ? failure()->text
				      : *member->alarm ? why
						       : "it knows no leader"));
	return json;
}

int cluster_members(const struct cli *cli, const struct member *m, json_t *list)
{
	const unsigned int ms = records_wait_ms(cli) < STATUS_MS ? records_wait_ms(cli) : STATUS_MS;
	struct etcd_member member;
	struct etcd *e;
	size_t i;
	int err = member_open(m, ms, &e);

	for (i = 0; !err && i < ETCD_MEMBERS; i++) {
		const int its = etcd_member(e, i, &member);

		if (!*member.url)
			break;
		json_array_append_new(list, status_json(&member, its));
	}
	etcd_close(e);
	return err;
}

/* ---- who is in step --------------------------------------------------------------- */

enum {
	BEHIND_MS = 1000, /* `show` waits so long for answers */
	POLL_MS = 10,	  /* the first look for answers; each later one comes later */
	POLL_MOST_MS = 200,
};

/* The hosts whose answer is awaited. */
struct step {
	struct etcd *e;
	const struct member *m;
	json_t *wanted;	   /* name -> number of failed changes, or null before the answer */
	size_t answered;   /* of them */
	json_t *unreached; /* name -> a host that it does not answer */
};

static void step_end(struct step *step)
{
	json_decref(step->wanted);
	json_decref(step->unreached);
}

static int take_answer(void *context, const char *host, __u64 failed, const json_t *unreached)
{
	struct step *step = context;
	const json_t *name;
	size_t i;

	if (json_is_null(json_object_get(step->wanted, host))) {
		json_array_foreach(unreached, i, name)
			if (json_is_string(name))
				json_object_set_new(step->unreached, json_string_value(name),
						    json_text(host));
		json_object_set_new(step->wanted, host, json_integer((json_int_t)failed));
		step->answered++;
	}
	return 0;
}

/* Asks all agents, and waits for those that are wanted. 0 also if some have not answered. */
static int wait_for(struct step *step, unsigned int ms)
{
	const __u64 end = clock_ns(CLOCK_MONOTONIC) + ms * MS_NS;
	struct timespec pause = {0, POLL_MS * MS_NS};
	char number[CHANGE_NONCE];
	int err = call_wait(step->e, step->m, ms / 1000 + 5, number);

	while (!err) {
		err = call_answers(step->e, step->m, number, take_answer, step);
		if (err || step->answered == json_object_size(step->wanted) ||
		    clock_ns(CLOCK_MONOTONIC) >= end)
			return err;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < (long)(POLL_MOST_MS * MS_NS / 2))
			pause.tv_nsec *= 2;
	}
	return err;
}

static int want_living(void *context, const struct call_alive *alive)
{
	struct step *step = context;

	json_object_set_new(step->wanted, alive->host, json_null());
	return 0;
}

/* Wants the named hosts, or all hosts that live. */
static int want_hosts(struct step *step, const struct words *w)
{
	char *const *at;

	if (!(w->given & FIELD(OPTION_HOST)))
		return call_alive(step->e, step->m, want_living, step);
	for (at = w->all; *at; at += 2) {
		struct tsw_name name;

		if (strcmp(at[0], "host"))
			continue;
		if (parse_known_name(at[1], &name))
			return -EINVAL;
		json_object_set_new(step->wanted, name.s, json_null());
	}
	return 0;
}

static int late(const struct step *step)
{
	size_t missing = 0;
	const char *name, *first = "";
	json_t *told;

	json_object_foreach(step->wanted, name, told)
		if (json_is_null(told) && !missing++)
			first = name;
	fail(ETIMEDOUT, "host %s has not answered", quoted(first));
	if (missing > 1)
		fail_more(", nor have %zu others", missing - 1);
	return -ETIMEDOUT;
}

static void tell_failed(struct cli *cli, const struct step *step)
{
	const char *name;
	json_t *told;

	json_object_foreach(step->wanted, name, told) {
		if (!json_integer_value(told))
			continue;
		note(&cli->tsw.log, "host %s could not do all: %lld changes; its agent tells which",
		     quoted(name), (long long)json_integer_value(told));
		cli->bad = true;
	}
	json_object_foreach(step->unreached, name, told) {
		if (!json_object_get(step->wanted, name))
			continue;
		note(&cli->tsw.log, "host %s does not answer host %s: see switch check there",
		     quoted(name), quoted(json_string_value(told)));
		cli->bad = true;
	}
}

int cmd_cluster_wait(struct cli *cli, const struct words *w)
{
	const unsigned int seconds =
		w->given & FIELD(OPTION_TIMEOUT) ? w->option.timeout : WAIT_SECONDS;
	struct member m;
	struct step step = {.m = &m, .wanted = json_object(), .unreached = json_object()};
	int err = cluster_check_lock(cli);

	err = err ?: member_read(cli->tsw.instance, &m);
	err = err ?: member_connect(&m, records_wait_ms(cli), &step.e);
	err = err ?: member_check_store(step.e, &m);
	err = err ?: want_hosts(&step, w);
	err = err ?: wait_for(&step, seconds * 1000);
	if (!err && step.answered < json_object_size(step.wanted))
		err = late(&step);
	if (!err)
		tell_failed(cli, &step);
	etcd_close(step.e);
	step_end(&step);
	return err;
}

/* ---- show ------------------------------------------------------------------------- */

struct shown {
	json_t *list, *by_name;
	const char *name; /* that one alone; "": all */
};

static int add_host(void *context, const struct tsw_host_spec *host)
{
	const struct shown *shown = context;
	json_t *json;

	if (*shown->name && strcmp(host->name.s, shown->name))
		return 0;
	json = fields_json(host_fields, FIELD(HOST_NAME) | HOST_TOLD, host);
	json_object_update_new(json, json_pack("{s:b, s:n, s:n, s:i, s:n, s:n, s:n, s:n}", "alive",
					       0, "since", "version", "endpoints", 0, "gateways",
					       "down", "behind", "reached"));
	json_array_append_new(shown->list, json);
	json_object_set(shown->by_name, host->name.s, json);
	return 0;
}

/* The host writes `since`, which may be any number: RFC 3339 has years of four digits. */
static int add_alive(void *context, const struct call_alive *alive)
{
	const struct shown *shown = context;
	json_t *json = json_object_get(shown->by_name, alive->host);
	const time_t since = (time_t)alive->since;
	char text[32];
	struct tm utc;

	if (!json)
		return 0;
	json_object_set_new(json, "alive", json_true());
	if (alive->since >= 0 && alive->since <= LAST_SECOND && gmtime_r(&since, &utc) &&
	    strftime(text, sizeof(text), "%FT%TZ", &utc))
		json_object_set_new(json, "since", json_string(text));
	json_object_set_new(json, "version", json_text(alive->version));
	return 0;
}

static int add_endpoint(void *context, const char *host)
{
	const struct shown *shown = context;
	json_t *json = json_object_get(shown->by_name, host);
	const json_int_t n = json_integer_value(json_object_get(json, "endpoints"));

	if (json)
		json_object_set_new(json, "endpoints", json_integer(n + 1));
	return 0;
}

/* A host is reached if no host that has answered says otherwise. Of one that is not alive: null. */
static void add_answer(const struct step *step, const char *name, json_t *json)
{
	json_t *failed = json_object_get(step->wanted, name);

	if (json_is_integer(failed))
		json_object_set(json, "behind", failed);
	if (step->answered && failed)
		json_object_set_new(json, "reached",
				    json_boolean(!json_object_get(step->unreached, name)));
}

/* Asks the living hosts. A user who may not ask gets null. */
static void add_behind(struct etcd *e, const struct member *m, const struct shown *shown)
{
	struct step step = {.e = e, .m = m, .wanted = json_object(), .unreached = json_object()};
	const char *name;
	json_t *json;

	json_object_foreach(shown->by_name, name, json)
		if (json_is_true(json_object_get(json, "alive")))
			json_object_set_new(step.wanted, name, json_null());
	if (json_object_size(step.wanted) && !wait_for(&step, BEHIND_MS))
		json_object_foreach(shown->by_name, name, json)
			add_answer(&step, name, json);
	step_end(&step);
}

static json_t *by_index(const struct tsw *t, const struct shown *shown, __u32 host)
{
	return json_object_get(shown->by_name, host_name_of(t, host).s);
}

static void add_gateway(const struct tsw *t, const struct shown *shown,
			const struct tsw_gateway *gw)
{
	json_t *json = by_index(t, shown, gw->host);
	json_int_t n = json_integer_value(json_object_get(json, "gateways"));
	__u32 i;

	if (json)
		json_object_set_new(json, "gateways", json_integer(n + 1));
	for (i = 0; i < gw->n_ranks && i < TSW_GATEWAY_RANKS; i++)
		if (gw->down & 1U << i && (json = by_index(t, shown, gw->rank[i])))
			json_object_set_new(json, "down", json_true());
}

/* As this host sees it: each host decides by itself who serves its containers. */
static void add_gateways(struct cli *cli, const struct shown *shown)
{
	struct tsw *t = &cli->tsw;
	cleanup_rows struct rows rows = {};
	const char *name;
	json_t *json;
	size_t i;

	if (session_open(t) || map_rows(&t->maps, MAP_GATEWAYS, &rows))
		return;
	json_object_foreach(shown->by_name, name, json)
		json_object_update_new(json, json_pack("{s:i, s:b}", "gateways", 0, "down", 0));
	for (i = 0; i < rows.n; i++)
		add_gateway(t, shown, row_value(&rows, i));
}

static int read_hosts(struct etcd *e, const struct member *m, const struct shown *shown,
		      __s64 *revision, size_t *refused)
{
	int err = cluster_hosts(e, m, revision, refused, add_host, (void *)shown);

	if (!err && *shown->name && !json_array_size(shown->list))
		err = fail(ENOENT, "cluster %s has no host %s", quoted(m->cluster.s),
			   quoted(shown->name));
	err = err ?: call_alive(e, m, add_alive, (void *)shown);
	err = err ?: call_endpoints(e, m, add_endpoint, (void *)shown);
	if (!err)
		add_behind(e, m, shown);
	return err;
}

static int show(struct cli *cli, const struct member *m, struct etcd *e, const char *name)
{
	json_t *json =
		json_pack("{s:s, s:s, s:[]}", "cluster", m->cluster.s, "host", m->host.s, "etcd");
	struct shown shown = {json_array(), json_object(), name};
	__s64 revision = 0;
	size_t refused;
	int err = read_hosts(e, m, &shown, &revision, &refused);

	err = err ?: cluster_members(cli, m, json_object_get(json, "etcd"));
	if (!err)
		add_gateways(cli, &shown);
	json_object_set_new(json, "revision", json_integer(revision));
	json_object_set_new(json, "hosts", shown.list);
	json_decref(shown.by_name);
	if (!err && refused)
		note(&cli->tsw.log, "records that are none of a host, and left out: %zu", refused);
	if (err)
		json_decref(json);
	else
		out_object(&cli->out, json);
	return err;
}

/* A user who may not ask finds nothing. */
void cluster_check_reached(const struct records *r, json_t *problems)
{
	struct step step = {
		.e = r->e, .m = &r->m, .wanted = json_object(), .unreached = json_object()};
	const char *name;
	json_t *by;

	if (!call_alive(step.e, step.m, want_living, &step) && json_object_size(step.wanted) &&
	    !wait_for(&step, BEHIND_MS))
		json_object_foreach(step.unreached, name, by)
			if (json_object_get(step.wanted, name))
				problem(problems, "unreached_host", name,
					"it does not answer host %s, though its agent is alive",
					quoted(json_string_value(by)));
	step_end(&step);
}

int cmd_cluster_show(struct cli *cli, const struct words *w)
{
	struct etcd *e = NULL;
	struct member m;
	int err = cluster_open(cli, &m, &e);

	err = err ?: show(cli, &m, e, w->given & W_NAME ? w->name.s : "");
	etcd_close(e);
	return err;
}
