// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "object/spec.h"
#include "record/fields.h"
#include "state/keys.h"
#include "state/policy.h"
#include "state/read.h"
#include "state/read_tenant.h"

struct reading {
	struct state *s;
	struct tsw_switch_spec all; /* the default for each host */
};

/* ---- hosts ------------------------------------------------------------------------ */

/* Reads the settings of a switch. UP keeps its values for keys that the file does not have. */
static int read_switch(struct reading *r, const json_t *value, const struct json_at *at,
		       struct tsw_switch_spec *up)
{
	json_t *now =
		json_is_object(value) ? json_copy((json_t *)value) : json_incref((json_t *)value);
	__u64 given;
	int err;

	/* Files of tsw 0.2 have this setting. */
	r->s->liberal |= !json_object_del(now, "tcp_liberal");
	err = fields_read(now, at, switch_keys, up, &given);
	json_decref(now);
	if (!err)
		up->given |= given;
	return err;
}

static int check_host(const struct state_host *host, const struct json_at *at)
{
	const struct json_at name = {.up = at, .key = "name"}, ip = {.up = at, .key = "ip"};

	if (spec_check_host(&host->spec.name))
		return json_where(&name);
	if (!field_is_empty(&host_fields[HOST_IP], &host->spec))
		return 0;
	misuse("a host needs a tunnel address");
	return json_where(&ip);
}

static int read_host(const json_t *value, const struct json_at *at, void *to)
{
	const struct json_at up = {.up = at, .key = "switch"};
	const json_t *its = json_object_get(value, "switch");
	struct reading *r = to;
	struct state_host *host = list_grow(&r->s->host, &r->s->n_hosts, sizeof(*host));
	int err;

	if (!host)
		return -ENOMEM;
	host->at = (__u32)at->index;
	host->up = r->all;
	err = fields_read(value, at, host_keys, host, NULL);
	err = err ?: check_host(host, at);
	if (err || !its)
		return err;
	err = read_switch(r, its, &up, &host->up);
	/* Missing keys mean auto, and the default of `closed`. */
	host->up.given |= FIELD(SWITCH_NAT_PORTS) | FIELD(SWITCH_CLOSED);
	return err;
}

/* ---- the whole -------------------------------------------------------------------- */

/* Changes references to tenants from places in the file to indices. */
int state_settle_tenants(struct state *s)
{
	__u32 *now = calloc(s->n_tenants + 1, sizeof(*now)), i;
	size_t k;

	if (!now)
		return fail_memory();
	state_sort_tenants(s);
	for (i = 0; i < s->n_tenants; i++)
		now[s->tenant[i].at] = i;
	for (k = 0; k < s->n_endpoints; k++)
		s->endpoint[k].tenant = now[s->endpoint[k].tenant];
	for (k = 0; k < s->n_publishes; k++)
		s->publish[k].tenant = now[s->publish[k].tenant];
	for (k = 0; k < s->n_groups; k++)
		s->group[k].tenant = now[s->group[k].tenant];
	for (k = 0; k < s->n_policies; k++)
		s->policy[k].tenant = now[s->policy[k].tenant];
	free(now);
	return 0;
}

/* Reads the parts in an order in which each refers only to earlier ones. */
int state_read(const json_t *value, struct state *s)
{
	const struct json_at all = {.key = "switch"};
	const json_t *its = json_object_get(value, "switch");
	struct reading r = {.s = s};
	__u32 format;
	int err = fields_read(value, NULL, file_keys, &format, NULL);

	*s = (struct state){.own = STATE_NONE};
	if (!err && its)
		err = read_switch(&r, its, &all, &r.all);
	err = err ?: json_each(value, NULL, "hosts", read_host, &r);
	state_sort_hosts(s);
	err = err ?: json_each(value, NULL, "tenants", state_read_tenant, s);
	err = err ?: state_settle_tenants(s);
	err = err ?: json_each(value, NULL, "peers", state_read_peer, s);
	if (!err)
		state_sort_rest(s);
	return err;
}

/* Removes the objects that were added after the state was BEFORE. */
static void cut(struct state *s, const struct state *before)
{
	s->n_hosts = before->n_hosts;
	s->n_tenants = before->n_tenants;
	s->n_endpoints = before->n_endpoints;
	s->n_ips = before->n_ips;
	s->n_publishes = before->n_publishes;
	s->n_peers = before->n_peers;
	s->n_groups = before->n_groups;
	s->n_policies = before->n_policies;
	s->n_members = before->n_members;
}

static int read_host_alone(const json_t *value, const struct json_at *at, void *to)
{
	struct reading r = {.s = to};

	return read_host(value, at, &r);
}

int state_read_part(struct state *s, enum state_part part, const json_t *value,
		    const struct json_at *at)
{
	static json_item *const read[] = {
		[PART_HOST] = read_host_alone,	     [PART_TENANT] = state_read_tenant,
		[PART_GATEWAY] = state_read_gateway, [PART_GROUP] = state_read_group_object,
		[PART_POLICY] = state_read_policy,   [PART_ENDPOINT] = state_read_endpoint,
		[PART_PUBLISH] = state_read_publish, [PART_PEER] = state_read_peer,
	};
	const struct state before = *s;
	int err = read[part](value, at, s);

	if (err)
		cut(s, &before);
	return err;
}

static int load(FILE *f, const char *name, json_t **value)
{
	json_error_t error;

	errno = 0;
	*value = json_loadf(f, JSON_REJECT_DUPLICATES, &error);
	if (*value)
		return 0;
	if (ferror(f))
		return fail(errno ? errno : EIO, "cannot read %s", quoted(name));
	return misuse("%s: line %d, column %d: %s", quoted(name), error.line, error.column,
		      escaped(error.text));
}

int state_read_stream(FILE *f, const char *name, struct state *s)
{
	json_t *value;
	int err;

	*s = (struct state){.own = STATE_NONE};
	err = load(f, name, &value);
	err = err ?: state_read(value, s);
	json_decref(value);
	return err;
}

int state_read_text(const char *file, json_t **value)
{
	FILE *f = strcmp(file, "-") ? fopen(file, "re") : stdin;
	int err;

	*value = NULL;
	if (!f)
		return fail(errno, "cannot open %s: %s", quoted(file), strerror(errno));
	err = load(f, file, value);
	if (f != stdin)
		fclose(f);
	return err;
}

int state_read_file(const char *file, struct state *s)
{
	json_t *value;
	int err = state_read_text(file, &value);

	*s = (struct state){.own = STATE_NONE};
	err = err ?: state_read(value, s);
	json_decref(value);
	return err;
}
