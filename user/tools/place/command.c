// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/parse.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "object/gateway.h"
#include "record/counters.h"
#include "record/gateway_find.h"
#include "rules/rules.h"
#include "tools/place/backup.h"
#include "tools/place/first.h"
#include "tools/place/shell.h"
#include "tools/place/words.h"

/* A host that the switch knows, in order of index; 0 is this one. */
struct known {
	__u32 index;
	__u32 place; /* among those to place on, or PLACE_NOWHERE */
	struct tsw_name name;
	char zone[TSW_NAME_LEN];
};

/* Tenants that have a gateway, by name. */
struct plan {
	struct tenants all;
	struct known *known;
	__u32 n_known;
	struct place_host *hosts; /* to place on */
	__u32 *index;		  /* of each */
	__u32 n_hosts;
	struct place_tenant *tenants;
	const struct tenant_row **row; /* of each */
	const struct known **from;     /* NULL: everywhere, or on a host that is unknown */
	struct place_ranks *ranks;     /* of each, as places in `known` */
	__u32 n_tenants;
};

static void plan_free(struct plan *p)
{
	tenants_free(&p->all);
	free(p->known);
	free(p->hosts);
	free(p->index);
	free(p->tenants);
	free(p->row);
	free(p->from);
	free(p->ranks);
}

#define cleanup_plan __attribute__((cleanup(plan_free)))

/* ---- hosts ----------------------------------------------------------------------- */

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

static int read_known(const struct tsw *t, struct plan *p)
{
	cleanup_rows struct rows rows = {};
	int err = map_rows(&t->maps, MAP_HOSTS, &rows);
	struct tsw_host host;
	size_t i;

	if (err)
		return err;
	p->known = calloc(rows.n + 1, sizeof(*p->known));
	p->hosts = calloc(rows.n + 1, sizeof(*p->hosts));
	p->index = calloc(rows.n + 1, sizeof(*p->index));
	if (!p->known || !p->hosts || !p->index)
		return fail_memory();
	p->n_known = (__u32)rows.n + 1;
	memcpy(p->known[0].name.s, t->config.name, sizeof(p->known[0].name.s));
	memcpy(p->known[0].zone, t->config.zone, sizeof(p->known[0].zone));
	for (i = 0; i < rows.n; i++) {
		struct known *known = &p->known[i + 1];

		memcpy(&known->index, row_key(&rows, i), sizeof(known->index));
		memcpy(&host, row_value(&rows, i), sizeof(host));
		memcpy(known->name.s, host.name, sizeof(known->name.s));
		memcpy(known->zone, host.zone, sizeof(known->zone));
	}
	qsort(p->known, p->n_known, sizeof(*p->known), compare_known);
	for (i = 0; i < p->n_known; i++)
		p->known[i].place = PLACE_NOWHERE;
	return 0;
}

static const struct known *find_known(const struct plan *p, __u32 index)
{
	const struct known key = {.index = index};

	return bsearch(&key, p->known, p->n_known, sizeof(key), compare_known);
}

static void add_host(struct plan *p, struct known *known, __u32 weight)
{
	known->place = p->n_hosts;
	p->index[p->n_hosts] = known->index;
	p->hosts[p->n_hosts++] = (struct place_host){.name = known->name.s, .weight = weight};
}

static int add_named(struct plan *p, const char *text, __u32 weight)
{
	__u32 i;

	for (i = 0; i < p->n_known; i++) {
		if (strcmp(p->known[i].name.s, text))
			continue;
		if (p->known[i].place != PLACE_NOWHERE)
			return misuse("host %s is given twice", quoted(text));
		add_host(p, &p->known[i], weight);
		return 0;
	}
	return rule_missing("host", text);
}

/* Without names all hosts are used, each with weight 1. */
static int read_hosts(const struct words *w, struct plan *p)
{
	char *const *at = w->all;
	const char *text;
	__u32 weight, i;
	int err = 0;

	while (!err && (text = place_value(&at, "host"))) {
		weight = 1;
		if (place_is_weight(at))
			err = parse_number(at[1], 1, PLACE_WEIGHT_MAX, &weight);
		err = err ?: add_named(p, text, weight);
	}
	if (err || p->n_hosts)
		return err;
	for (i = 0; i < p->n_known; i++)
		add_host(p, &p->known[i], 1);
	return 0;
}

/* ---- tenants and what they send ---------------------------------------------------- */

static void read_ranks(const struct plan *p, const struct tsw_gateway *gw,
		       struct place_ranks *ranks)
{
	const struct known *host;
	__u32 i;

	for (i = 0; i < gw->n_ranks && i < TSW_GATEWAY_RANKS; i++) {
		host = find_known(p, gw->rank[i]);
		ranks->was[i] = host ? (__u32)(host - p->known) : PLACE_NOWHERE;
	}
	ranks->n_was = i;
	ranks->n = i ? i : 1;
}

static int add_tenant(const struct tsw *t, struct plan *p, const struct tenant_row *row)
{
	struct place_tenant *tenant = &p->tenants[p->n_tenants];
	const struct known *from;
	struct tsw_gateway gw;
	struct tsw_stats stats = {};
	int err = gateway_get(t, row->id, &gw);

	if (err)
		return err == -ENOENT ? 0 : err;
	err = tenant_stats(t, row->id, &stats);
	if (err)
		return err;
	from = gw.n_ranks ? find_known(p, gw.rank[0]) : NULL;
	read_ranks(p, &gw, &p->ranks[p->n_tenants]);
	*tenant = (struct place_tenant){.id = row->id,
					.host = from ? from->place : PLACE_NOWHERE,
					.bytes = stats.gateway.bytes};
	p->from[p->n_tenants] = from;
	p->row[p->n_tenants++] = row;
	return 0;
}

static int read_tenants(const struct tsw *t, struct plan *p)
{
	size_t i;
	int err = tenants_read(t, &p->all);

	if (err)
		return err;
	p->tenants = calloc(p->all.n + 1, sizeof(*p->tenants));
	p->row = calloc(p->all.n + 1, sizeof(*p->row));
	p->from = calloc(p->all.n + 1, sizeof(*p->from));
	p->ranks = calloc(p->all.n + 1, sizeof(*p->ranks));
	if (!p->tenants || !p->row || !p->from || !p->ranks)
		return fail_memory();
	for (i = 0; !err && i < p->all.n; i++)
		err = add_tenant(t, p, &p->all.row[i]);
	return err;
}

static int compare_row(const void *name, const void *row)
{
	return strcmp(name, (*(const struct tenant_row *const *)row)->tenant.name);
}

/* Adds a tenant of a file. Ignores tenants without a gateway here. */
static int add_load(struct plan *p, const json_t *item)
{
	const json_t *bytes = json_object_get(json_object_get(item, "gateway"), "bytes");
	const char *name = json_string_value(json_object_get(item, "tenant"));
	const struct tenant_row **row;
	struct place_tenant *tenant;

	if (!name)
		return fail(EINVAL, "it has no \"tenant\"");
	if (!json_is_integer(bytes) || json_integer_value(bytes) < 0)
		return fail(EINVAL, "its \"gateway\" has no number of \"bytes\"");
	row = bsearch(name, p->row, p->n_tenants, sizeof(*p->row), compare_row);
	if (row) {
		tenant = &p->tenants[row - p->row];
		if (__builtin_add_overflow(tenant->bytes, (__u64)json_integer_value(bytes),
					   &tenant->bytes))
			tenant->bytes = ~0ULL;
	}
	return 0;
}

static int add_loads(struct plan *p, const char *file, const json_t *list)
{
	struct failure why;
	json_t *item;
	size_t i;

	if (!json_is_array(list))
		return fail(EINVAL,
			    "%s is no list of tenants: it must be what `tsw -j stats show` prints",
			    quoted(file));
	json_array_foreach(list, i, item) {
		if (!add_load(p, item))
			continue;
		why = *failure();
		return fail(EINVAL, "%s: entry %zu of the list: %s", quoted(file), i + 1, why.text);
	}
	return 0;
}

static int read_load(struct plan *p, const char *file)
{
	json_error_t error;
	json_t *list;
	FILE *f = fopen(file, "re");
	int err;

	if (!f)
		return fail(errno, "cannot open %s: %s", quoted(file), strerror(errno));
	list = json_loadf(f, 0, &error);
	fclose(f);
	if (!list)
		return fail(EINVAL, "%s: line %d: %s", quoted(file), error.line,
			    escaped(error.text));
	err = add_loads(p, file, list);
	json_decref(list);
	return err;
}

static int read_loads(const struct words *w, struct plan *p)
{
	char *const *at = w->all;
	const char *file;
	int err = 0;

	while (!err && (file = place_value(&at, "load")))
		err = read_load(p, file);
	return err;
}

/* ---- the answer -------------------------------------------------------------------- */

/* ` host h1 host h2`, and the same as a list. */
static json_t *write_hosts(const struct plan *p, const struct place_ranks *to, char *text,
			   size_t len)
{
	char word[4 * TSW_NAME_LEN + 8];
	json_t *list = json_array();
	size_t used = 0;
	__u32 k;

	for (k = 0; k < to->n; k++) {
		const char *name = p->known[to->at[k]].name.s;

		shell_word(name, word, sizeof(word));
		used += (size_t)snprintf(text + used, len - used, " host %s", word);
		json_array_append_new(list, json_text(name));
	}
	return list;
}

static void print(struct cli *cli, const struct plan *p, const struct words *w, __u32 i)
{
	char tenant[4 * TSW_NAME_LEN + 8], hosts[TSW_GATEWAY_RANKS * (4 * TSW_NAME_LEN + 16)];
	json_t *list = write_hosts(p, &p->ranks[i], hosts, sizeof(hosts)), *command;
	const char *name = p->row[i]->tenant.name;
	char drain[24] = "";

	if (w->given & FIELD(OPTION_DRAIN))
		snprintf(drain, sizeof(drain), " drain %u", w->option.drain);
	shell_word(name, tenant, sizeof(tenant));
	command = json_sprintf("tsw gateway set %s%s%s", tenant, hosts, drain);
	if (cli->out.json)
		out_item(&cli->out,
			 json_pack("{s:o, s:o, s:O, s:O, s:b, s:I, s:o}", "tenant", json_text(name),
				   "from", p->from[i] ? json_text(p->from[i]->name.s) : json_null(),
				   "to", json_array_get(list, 0), "hosts", list, "same_zone",
				   p->ranks[i].same_zone, "bytes", (json_int_t)p->tenants[i].bytes,
				   "command", command));
	else
		out_item(&cli->out, json_pack("{s:o}", "command", command));
	json_decref(list);
}

static bool moves(const struct plan *p, __u32 i)
{
	const struct place_ranks *r = &p->ranks[i];

	return r->n != r->n_was || memcmp(r->at, r->was, r->n * sizeof(*r->at));
}

/* The first hosts are decided already. With `central` all other hosts may back the one. */
static int decide_backups(const struct words *w, struct plan *p)
{
	struct place_backer *backers = calloc(p->n_known, sizeof(*backers));
	__u32 i;

	if (!backers)
		return fail_memory();
	for (i = 0; i < p->n_known; i++) {
		const __u32 place = p->known[i].place;

		backers[i] = (struct place_backer){
			.name = p->known[i].name.s,
			.zone = p->known[i].zone,
			.weight = place == PLACE_NOWHERE ? 1 : p->hosts[place].weight,
			.left_out = place == PLACE_NOWHERE && w->given & FIELD(OPTION_SPREAD),
		};
	}
	for (i = 0; i < p->n_tenants; i++)
		p->ranks[i].at[0] = (__u32)(find_known(p, p->index[p->tenants[i].to]) - p->known);
	place_backups(backers, p->n_known, p->ranks, p->n_tenants);
	free(backers);
	return 0;
}

/* Tells of gateways that have two hosts in one zone. */
static void tell_zones(struct cli *cli, const struct plan *p)
{
	const char *first = NULL;
	__u32 i, n = 0;

	for (i = 0; i < p->n_tenants; i++)
		if (p->ranks[i].same_zone && !n++)
			first = p->row[i]->tenant.name;
	if (n)
		note(&cli->tsw.log,
		     "%u gateways have two hosts in one zone, the first is tenant %s's: there are "
		     "not enough zones to choose from",
		     n, quoted(first));
}

static int decide(const struct words *w, struct plan *p)
{
	__u32 i;

	if (w->given & FIELD(OPTION_SPREAD) &&
	    place_spread(p->hosts, p->n_hosts, p->tenants, p->n_tenants))
		return fail_memory();
	for (i = 0; w->given & FIELD(OPTION_CENTRAL) && i < p->n_tenants; i++)
		p->tenants[i].to = 0;
	return decide_backups(w, p);
}

/* As `gateway set` does it. */
static int move(struct tsw *t, const struct plan *p, const struct words *w, __u32 i)
{
	const struct place_ranks *ranks = &p->ranks[i];
	const __u32 tenant = p->tenants[i].id;
	struct tsw_gateway old, want;
	struct ranks to = {.n = ranks->n};
	int err = gateway_get(t, tenant, &old);
	__u32 k;

	if (err)
		return err;
	for (k = 0; k < to.n; k++)
		to.host[k] = p->known[ranks->at[k]].index;
	want = old;
	gateway_move(&want, &to, w->option.drain);
	return gateway_change(t, tenant, &old, &want);
}

static int move_all(struct tsw *t, const struct plan *p, const struct words *w)
{
	__u32 i, done = 0;
	int err = 0;

	for (i = 0; i < p->n_tenants; i++) {
		if (!moves(p, i))
			continue;
		err = move(t, p, w, i);
		if (err) {
			fail_more("; that is the gateway of tenant %s; %u were moved before it",
				  quoted(p->row[i]->tenant.name), done);
			return err;
		}
		done++;
	}
	return 0;
}

static void print_all(struct cli *cli, const struct plan *p, const struct words *w)
{
	__u32 i;

	out_list_begin(&cli->out);
	for (i = 0; i < p->n_tenants; i++)
		if (moves(p, i))
			print(cli, p, w, i);
	out_list_end(&cli->out);
}

int cmd_gateway_place(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	cleanup_plan struct plan p = {};
	int err = read_known(t, &p);

	err = err ?: read_hosts(w, &p);
	err = err ?: read_tenants(t, &p);
	err = err ?: read_loads(w, &p);
	err = err ?: decide(w, &p);
	if (!err && w->given & FIELD(OPTION_APPLY))
		err = move_all(t, &p, w);
	if (err)
		return err;
	print_all(cli, &p, w);
	tell_zones(cli, &p);
	return 0;
}
