// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "state/json_read.h"
#include "base/parse.h"
#include "state/state_read.h"
#include "state/state_read_tenant.h"
#include "base/text.h"
#include "base/spell.h"
#include "cli/words.h"

struct reading {
	struct state *s;
	struct state_switch all; /* what holds for each host that says nothing else */
};

/* ---- hosts ------------------------------------------------------------------------ */

static int read_dev(const json_t *value, const struct json_at *at, const struct json_field *f,
		    void *to)
{
	struct state_switch *up = to;
	unsigned int i;
	int err;

	(void)f;
	if (up->n_devs == TSW_UNDERLAYS) {
		misuse("one device too many: the underlay has at most %d", TSW_UNDERLAYS);
		return json_where(at);
	}
	err = json_read_device(value, at, NULL, up->dev[up->n_devs]);
	for (i = 0; !err && i < up->n_devs; i++)
		if (!strcmp(up->dev[i], up->dev[up->n_devs])) {
			misuse("device %s is given twice", quoted(up->dev[i]));
			return json_where(at);
		}
	up->n_devs++;
	return err;
}

static int read_devs(const json_t *value, const struct json_at *at, const struct json_field *f,
		     void *to)
{
	struct state_switch *up = to;

	(void)f;
	up->n_devs = 0;
	memset(up->dev, 0, sizeof(up->dev));
	return json_read_list(value, at, read_dev, to);
}

#define UP(field) offsetof(struct state_switch, field)

/* The bit of each in struct words, in the order of the table. */
static const __u64 switch_bits[] = {W_DEVS,   W_PORT,	       W_XDP,
				    W_ATTACH, W_MAX_ENDPOINTS, W_MAX_TENANTS};

static const struct json_field switch_fields[] = {
	{"dev", false, read_devs, 0, 0, 0, NULL},
	{"port", false, json_read_number, UP(port), 1, 65535, NULL},
	{"xdp", false, json_read_choice, UP(xdp), 0, 0, word_xdps},
	{"attach", false, json_read_choice, UP(attach), 0, 0, word_attaches},
	{"max_endpoints", false, json_read_number, UP(max_endpoints), 1, MAX_ENDPOINTS_MOST, NULL},
	{"max_tenants", false, json_read_number, UP(max_tenants), 1, MAX_TENANTS_MOST, NULL},
	{},
};

static int read_switch(const json_t *value, const struct json_at *at, const struct json_field *f,
		       void *to)
{
	struct state_switch *up = to;
	size_t i;
	int err = json_read_object(value, at, switch_fields, up);

	(void)f;
	for (i = 0; !err && switch_fields[i].key; i++)
		if (json_object_get(value, switch_fields[i].key))
			up->given |= switch_bits[i];
	return err;
}

static int read_vtep(const json_t *value, const struct json_at *at, const struct json_field *f,
		     void *to)
{
	struct state_host *host = to;
	struct tsw_addr addr;
	enum tsw_family family;
	const char *text;
	int err = json_read_text(value, at, &text);

	(void)f;
	if (err)
		return err;
	if (parse_ip(text, &addr) || parse_vtep(&addr))
		return json_where(at);
	family = addr_family(&addr);
	if (!addr_is_none(&host->addr[family])) {
		misuse("%s is a second %s address: a host has one of each family", quoted(text),
		       family_text(family));
		return json_where(at);
	}
	if (addr_is_none(&host->addr[TSW_IPV4]) && addr_is_none(&host->addr[TSW_IPV6]))
		host->preferred = family;
	host->addr[family] = addr;
	return 0;
}

static int read_vteps(const json_t *value, const struct json_at *at, const struct json_field *f,
		      void *to)
{
	(void)f;
	if (json_is_array(value) && !json_array_size(value)) {
		misuse("a host needs a tunnel address");
		return json_where(at);
	}
	return json_read_list(value, at, read_vtep, to);
}

static const struct json_field host_fields[] = {
	{"name", true, json_read_name, offsetof(struct state_host, name), 0, 0, NULL},
	{"ip", true, read_vteps, 0, 0, 0, NULL},
	{"switch", false, read_switch, offsetof(struct state_host, up), 0, 0, NULL},
	{},
};

static int read_host(const json_t *value, const struct json_at *at, const struct json_field *f,
		     void *to)
{
	struct reading *r = to;
	struct state_host *host = state_grow(&r->s->host, &r->s->n_hosts, sizeof(*host));
	int err;

	(void)f;
	if (!host)
		return -ENOMEM;
	host->at = (__u32)at->index;
	host->up = r->all;
	err = json_read_object(value, at, host_fields, host);
	if (err || strcmp(host->name.s, NO_HOST))
		return err;
	misuse("%s cannot be a host's name: it stands for no host", quoted(host->name.s));
	return json_where(at);
}

static int read_hosts(const json_t *value, const struct json_at *at, const struct json_field *f,
		      void *to)
{
	struct reading *r = to;
	int err = json_read_list(value, at, read_host, r);

	(void)f;
	state_sort_hosts(r->s);
	return err;
}

/* ---- the whole -------------------------------------------------------------------- */

static int read_all(const json_t *value, const struct json_at *at, const struct json_field *f,
		    void *to)
{
	struct reading *r = to;

	return read_switch(value, at, f, &r->all);
}

static int read_tenants(const json_t *value, const struct json_at *at, const struct json_field *f,
			void *to)
{
	struct reading *r = to;

	(void)f;
	return json_read_list(value, at, state_read_tenant, r->s);
}

/* Until now all have the place of their tenant in the file. */
static int settle_tenants(struct state *s)
{
	__u32 *now = calloc(s->n_tenants + 1, sizeof(*now)), i;
	size_t k;

	if (!now)
		return fail(ENOMEM, "out of memory");
	state_sort_tenants(s);
	for (i = 0; i < s->n_tenants; i++)
		now[s->tenant[i].at] = i;
	for (k = 0; k < s->n_endpoints; k++)
		s->endpoint[k].tenant = now[s->endpoint[k].tenant];
	for (k = 0; k < s->n_publishes; k++)
		s->publish[k].tenant = now[s->publish[k].tenant];
	free(now);
	return 0;
}

static int read_peers(const json_t *value, const struct json_at *at, const struct json_field *f,
		      void *to)
{
	struct reading *r = to;

	(void)f;
	return json_read_list(value, at, state_read_peer, r->s);
}

static int read_format(const json_t *value, const struct json_at *at, const struct json_field *f,
		       void *to)
{
	__u32 unused;

	(void)to;
	return json_read_number(value, at, f, &unused);
}

/* Peers need tenants in their order: they are read behind all else, by a table of their own. */
static const struct json_field file_fields[] = {
	{"format", true, read_format, 0, STATE_FORMAT, STATE_FORMAT, NULL},
	{"switch", false, read_all, 0, 0, 0, NULL},
	{"hosts", true, read_hosts, 0, 0, 0, NULL},
	{"tenants", false, read_tenants, 0, 0, 0, NULL},
	{"peers", false, json_skip, 0, 0, 0, NULL},
	{},
};

int state_read(const json_t *value, struct state *s)
{
	const struct json_at peers = {.key = "peers"};
	struct reading r = {.s = s};
	const json_t *list = json_object_get(value, "peers");
	int err;

	*s = (struct state){.own = STATE_NONE};
	err = json_read_object(value, NULL, file_fields, &r);
	if (!err)
		err = settle_tenants(s);
	if (!err && list)
		err = read_peers(list, &peers, NULL, &r);
	if (!err)
		state_sort_rest(s);
	return err;
}

int state_read_file(const char *file, struct state *s)
{
	const bool from_stdin = !strcmp(file, "-");
	FILE *f = from_stdin ? stdin : fopen(file, "re");
	json_error_t error;
	json_t *value;
	int err;

	*s = (struct state){.own = STATE_NONE};
	if (!f)
		return fail(errno, "cannot open %s: %s", quoted(file), strerror(errno));
	errno = 0;
	value = json_loadf(f, JSON_REJECT_DUPLICATES, &error);
	if (!value && ferror(f))
		err = fail(errno ? errno : EIO, "cannot read %s", quoted(file));
	else if (!value)
		err = misuse("%s: line %d, column %d: %s", quoted(file), error.line, error.column,
			     escaped(error.text));
	else
		err = state_read(value, s);
	json_decref(value);
	if (!from_stdin)
		fclose(f);
	return err;
}
