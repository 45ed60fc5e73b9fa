// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "agent/reach.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/field_json.h"
#include "base/json.h"
#include "base/text.h"
#include "cluster/hosts.h"
#include "cmd/cmd.h"
#include "cmd/crypt.h"
#include "cmd/show.h"
#include "object/host.h"
#include "object/spec.h"
#include "record/counters.h"
#include "record/fields.h"
#include "record/hosts.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

int fit_host(struct words *w)
{
	return spec_check_host(&w->name);
}

int fit_host_set(struct words *w)
{
	return w->given & ~W_NAME ? 0 : misuse("nothing to set: give ip, zone, key or mtu");
}

/* USED is the address that frames to the host are sent to. */
static json_t *add(struct show *s, const struct tsw_host_spec *spec, const struct tsw_addr *used)
{
	json_t *item = fields_json(host_fields, FIELD(HOST_NAME) | FIELD(HOST_IP), spec);

	json_object_set(item, "ips", json_object_get(item, "ip"));
	json_object_set_new(item, "ip", json_string(addr_text(used)));
	json_array_append_new(s->list, item);
	return item;
}

static bool is_asked(const struct show *s, const char *name)
{
	return !*s->w->name.s || !strcmp(name, s->w->name.s);
}

static int add_row(struct show *s, const struct crypt *crypt, const struct host_row *row)
{
	const struct tsw_host *host = &row->host;
	struct tsw_host_stats stats = {};
	struct tsw_host_spec spec;
	json_t *item;
	int err = host_spec_get(&s->cli->tsw, row->id, host, &spec);

	if (err)
		return err;
	item = add(s, &spec, &host->addr[host->family]);
	json_object_set_new(item, "endpoints", json_integer((json_int_t)host->endpoints));
	fields_add(host_fields, FIELD(HOST_ZONE) | FIELD(HOST_MTU), &spec, item);
	err = cmd_crypt_host(crypt, row, item);
	if (!err && s->cli->counters) {
		err = map_sum(&s->cli->tsw.maps, MAP_HOST_STATS, &row->id, &stats);
		json_object_set_new(item, "tx", counter_json(&stats.tx));
		json_object_set_new(item, "rx", counter_json(&stats.rx));
	}
	return err == -ENOENT ? 0 : err;
}

static int show_switch(struct show *s)
{
	struct tsw *t = &s->cli->tsw;
	cleanup_crypt struct crypt crypt = {};
	cleanup_hosts struct hosts all = {};
	struct tsw_host unused;
	__u32 id;
	size_t i;
	int err = *s->w->name.s ? host_find(t, &s->w->name, &id, &unused) : 0;

	err = err ?: hosts_read(t, &all);
	err = err ?: crypt_read(t, &crypt);
	for (i = 0; !err && i < all.n; i++)
		if (is_asked(s, all.row[i].host.name))
			err = add_row(s, &crypt, &all.row[i]);
	return err;
}

struct listing {
	struct show *s;
	struct look counts; /* of endpoints, in the order of the items */
};

static int add_record(void *context, const struct tsw_host_spec *spec)
{
	struct listing *l = context;

	if (!is_asked(l->s, spec->name.s))
		return 0;
	fields_add(host_fields, HOST_TOLD & ~FIELD(HOST_IP), spec,
		   add(l->s, spec, &spec->ip.of[spec->ip.preferred]));
	look_count(&l->counts, l->s->r, "at/%s/", spec->name.s);
	return 0;
}

static int show_records(struct show *s)
{
	struct listing l = {.s = s};
	__s64 revision;
	json_t *item;
	size_t i;
	int err = cluster_hosts(s->r->e, &s->r->m, &revision, &s->refused, add_record, &l);

	if (!err && *s->w->name.s && !json_array_size(s->list))
		err = rule_missing("host", s->w->name.s);
	err = err ?: look_read(s->r, &l.counts);
	json_array_foreach(s->list, i, item)
		if (!err)
			json_object_set_new(item, "endpoints", json_integer(l.counts.at[i].count));
	look_end(&l.counts);
	return err;
}

int show_hosts(struct show *s)
{
	return s->r ? show_records(s) : show_switch(s);
}

/* ---- probe ------------------------------------------------------------------------- */

static json_t *answers_json(const struct tsw_host *host, const struct reach_row *row)
{
	const __u64 first = row->took;
	json_t *by = json_array();
	int encap;

	for (encap = 0; encap < TSW_ENCAPS; encap++)
		if (row->by[encap])
			json_array_append_new(by, json_string(encap_text(encap)));
	return json_pack("{s:o, s:s, s:b, s:o, s:o}", "name", json_text(host->name), "ip",
			 addr_text(&row->who.addr), "alive", first != 0, "us",
			 first ? json_integer((json_int_t)(first / (MS_NS / 1000) + 1))
			       : json_null(),
			 "encap", by);
}

static int probe(struct cli *cli, const char *name, const struct hosts *all, json_t *list)
{
	cleanup_reach struct reach r;
	size_t i;
	int err = reach_begin(&r, &cli->tsw, all);

	for (i = 0; i < r.n; i++)
		r.row[i].skip = *name && strcmp(all->row[i].host.name, name);
	err = err ?: reach_ask_each(&r);
	for (i = 0; !err && i < r.n; i++) {
		if (r.row[i].skip)
			continue;
		json_array_append_new(list, answers_json(&all->row[i].host, &r.row[i]));
		cli->bad |= !r.row[i].took;
	}
	return err;
}

int cmd_host_probe(struct cli *cli, const struct words *w)
{
	cleanup_hosts struct hosts all = {};
	json_t *list = json_array();
	struct tsw_host unused;
	__u32 id;
	int err = *w->name.s ? host_find(&cli->tsw, &w->name, &id, &unused) : 0;

	err = err ?: hosts_read(&cli->tsw, &all);
	err = err ?: probe(cli, w->name.s, &all, list);
	if (err)
		json_decref(list);
	else
		out_list(&cli->out, list);
	return err;
}
