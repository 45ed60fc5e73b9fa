// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "record/flow_list.h"
#include "record/tenant_find.h"
#include "tools/flows/tenant.h"
#include "watch/dissect.h"
#include "watch/names.h"
#include "watch/watch.h"

enum { TIME_LEN = 64 };

int flows_tenant(const struct tsw *t, const struct words *w, __u32 *id)
{
	struct tsw_tenant tenant;
	int err;

	*id = 0;
	if (!(w->given & FIELD(OPTION_TENANT)))
		return 0;
	err = tenant_find(t, &w->option.tenant, id, &tenant);
	if (err || tenant.flags & TSW_TENANT_FLOWS)
		return err;
	return fail(ENODATA, "the flows of tenant %s are not counted: tsw tenant set %s flows on",
		    quoted(tenant.name), escaped(tenant.name));
}

static int compare(const void *a, const void *b)
{
	const struct tsw_flow_record *x = &((const struct flow_row *)a)->record;
	const struct tsw_flow_record *y = &((const struct flow_row *)b)->record;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->packets > y->packets ? -1 : x->packets < y->packets;
}

/* Who sits at the port, whatever the frames say of their sender. */
static const char *at_port(const struct names *names, __u32 tenant, __u32 ifindex)
{
	struct tsw_port port;

	if (map_get(&names->t->maps, MAP_PORTS, &ifindex, &port) || port.tenant != tenant)
		return NULL;
	return name_of_endpoint(names, tenant, &port.mac);
}

static void add_end(json_t *item, const char *key, const char *text)
{
	if (text)
		json_object_set_new(item, key, json_text(text));
}

void flows_add_ends(const struct names *names, const struct flow_row *row, json_t *item)
{
	const struct tsw_flow_tuple *t = &row->record.tuple;
	const bool out = t->direction == TSW_FLOW_OUT;
	const char *here = at_port(names, row->tenant, t->ifindex);
	const struct tsw_mac *far = out ? &row->record.dst : &row->record.src;
	const char *there = name_of_endpoint(names, row->tenant, far);

	json_object_set_new(item, "src", json_string(addr_text(&t->src)));
	add_end(item, "src_endpoint", out ? here : there);
	json_object_set_new(item, "dst", json_string(addr_text(&t->dst)));
	add_end(item, "dst_endpoint", out ? there : here);
}

bool flows_is_icmp(const struct tsw_flow_tuple *t)
{
	return t->proto == (t->version == 4 ? IPPROTO_ICMP : IPPROTO_ICMPV6);
}

/* By the letters that tcpdump knows them by, in the order of their bits. */
static json_t *tcp_flags(__u8 flags)
{
	static const char letters[] = "FSRPAUEC";
	char text[sizeof(letters)] = "";
	size_t n = 0;
	int i;

	for (i = 0; letters[i]; i++)
		if (flags >> i & 1)
			text[n++] = letters[i];
	return json_string(text);
}

static void add_upper(const struct tsw_flow_record *r, json_t *item)
{
	const struct tsw_flow_tuple *t = &r->tuple;
	const __u16 sport = ntohs(t->sport), dport = ntohs(t->dport);

	json_object_set_new(item, "proto", json_string(ip_proto_text(t->proto)));
	if (flows_is_icmp(t)) {
		json_object_set_new(item, "icmp_type", json_integer(sport >> 8));
		json_object_set_new(item, "icmp_code", json_integer(sport & 0xff));
		return;
	}
	json_object_set_new(item, "sport", json_integer(sport));
	json_object_set_new(item, "dport", json_integer(dport));
	if (t->proto == IPPROTO_TCP)
		json_object_set_new(item, "tcp_flags", tcp_flags(r->tcp_flags));
}

static void add_times(const struct tsw_flow_record *r, __u64 clock, json_t *item)
{
	char text[TIME_LEN];

	clock_text(r->first + clock, text, sizeof(text));
	json_object_set_new(item, "first", json_string(text));
	clock_text(r->last + clock, text, sizeof(text));
	json_object_set_new(item, "last", json_string(text));
}

static const char *verdict_text(__u16 verdict)
{
	const __u16 reason = verdict & ~TSW_FLOW_AUDITED;

	return reason ? drop_reason(reason) : verdict ? "audited" : "forwarded";
}

static json_t *row_json(struct cli *cli, const struct names *names, const struct flow_row *row,
			__u64 clock)
{
	const struct tsw_flow_record *r = &row->record;
	json_t *item = json_pack("{s:o, s:s}", "tenant",
				 json_text(name_of_tenant(names, row->tenant) ?: ""), "direction",
				 r->tuple.direction == TSW_FLOW_OUT ? "out" : "in");

	flows_add_ends(names, row, item);
	add_upper(r, item);
	json_object_set_new(item, "packets", json_integer((json_int_t)r->packets));
	json_object_set_new(item, "bytes", json_integer((json_int_t)r->bytes));
	add_times(r, clock, item);
	json_object_set_new(item, "verdict", json_string(verdict_text(r->tuple.verdict)));
	if (cli->out.json) {
		json_object_set_new(item, "src_mac", json_string(mac_text(&r->src)));
		json_object_set_new(item, "dst_mac", json_string(mac_text(&r->dst)));
	}
	return item;
}

int cmd_flows_show(struct cli *cli, const struct words *w)
{
	const struct tsw *t = &cli->tsw;
	struct names names = {.t = t};
	cleanup_flow_list struct flow_list list = {};
	const __u64 clock = watch_clock();
	__u32 tenant;
	size_t i;
	int err = flows_tenant(t, w, &tenant);

	err = err ?: flow_list_read(t, tenant, &list);
	err = err ?: names_refresh(&names);
	if (!err && list.n) {
		qsort(list.row, list.n, sizeof(*list.row), compare);
		if (w->given & FIELD(OPTION_TOP) && w->option.top < list.n)
			list.n = w->option.top;
	}
	if (!err)
		out_list_begin(&cli->out);
	for (i = 0; !err && i < list.n; i++)
		out_item(&cli->out, row_json(cli, &names, &list.row[i], clock));
	if (!err)
		out_list_end(&cli->out);
	names_free(&names);
	return err;
}
