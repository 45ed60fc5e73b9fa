// SPDX-License-Identifier: GPL-2.0-only
/* What a policy would deny, before it is on: flows that only `policy audit` lets pass. */
#include <arpa/inet.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "record/flow_list.h"
#include "tools/flows/tenant.h"
#include "watch/dissect.h"
#include "watch/names.h"

/* The flows of one row: the same ends, protocol and port. */
struct sum {
	const struct flow_row *row;
	__u64 flows, packets, bytes;
};

/* What distinguishes rows: of ICMP the type and code. */
static struct tsw_flow_tuple asked(const struct flow_row *row)
{
	struct tsw_flow_tuple t = row->record.tuple;

	t.ifindex = t.verdict = t.direction = 0;
	if (!flows_is_icmp(&t))
		t.sport = 0;
	return t;
}

static int compare(const void *a, const void *b)
{
	const struct flow_row *x = a, *y = b;
	const struct tsw_flow_tuple s = asked(x), t = asked(y);

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	return memcmp(&s, &t, sizeof(s));
}

static int compare_sums(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	return x->packets > y->packets ? -1 : x->packets < y->packets;
}

/* Type and code of the request that an ICMP answer is for; 0: it is no answer. */
static __be16 icmp_request(const struct tsw_flow_tuple *t)
{
	const int type = ntohs(t->sport) >> 8;

	if (t->version == 4)
		return type == ICMP_ECHOREPLY ? htons(ICMP_ECHO << 8) : 0;
	return type == ICMP6_ECHO_REPLY ? htons(ICMP6_ECHO_REQUEST << 8) : 0;
}

/* Whether the flow answers an older one of the list: a denied one gets no answer. */
static bool is_answer(const struct flow_list *list, const struct flow_row *row)
{
	const struct tsw_flow_tuple *t = &row->record.tuple;
	const bool icmp = flows_is_icmp(t);
	struct flow_row key = {.tenant = row->tenant, .record.tuple = *t};
	const struct flow_row *other, *end = list->row + list->n;

	key.record.tuple.src = t->dst;
	key.record.tuple.dst = t->src;
	key.record.tuple.sport = icmp ? icmp_request(t) : t->dport;
	key.record.tuple.dport = icmp ? 0 : t->sport;
	if (icmp && !key.record.tuple.sport)
		return false;
	other = bsearch(&key, list->row, list->n, sizeof(key), compare);
	while (other && other > list->row && !compare(&other[-1], &key))
		other--;
	for (; other && other < end && !compare(other, &key); other++)
		if ((icmp || other->record.tuple.sport == t->dport) &&
		    other->record.first < row->record.first)
			return true;
	return false;
}

static void keep_audited(struct flow_list *list)
{
	size_t i, n = 0;

	for (i = 0; i < list->n; i++)
		if (list->row[i].record.tuple.verdict & TSW_FLOW_AUDITED)
			list->row[n++] = list->row[i];
	list->n = n;
}

static size_t add_up(const struct flow_list *list, struct sum *sum)
{
	size_t i, n = 0;

	for (i = 0; i < list->n; i++) {
		const struct flow_row *row = &list->row[i];

		if (is_answer(list, row))
			continue;
		if (!n || compare(sum[n - 1].row, row))
			sum[n++] = (struct sum){.row = row};
		sum[n - 1].flows++;
		sum[n - 1].packets += row->record.packets;
		sum[n - 1].bytes += row->record.bytes;
	}
	return n;
}

static json_t *sum_json(const struct names *names, const struct sum *sum)
{
	const struct tsw_flow_tuple *t = &sum->row->record.tuple;
	json_t *item = json_pack("{s:o}", "tenant",
				 json_text(name_of_tenant(names, sum->row->tenant) ?: ""));

	flows_add_ends(names, sum->row, item);
	json_object_set_new(item, "proto", json_string(ip_proto_text(t->proto)));
	if (flows_is_icmp(t))
		json_object_set_new(item, "icmp_type", json_integer(ntohs(t->sport) >> 8));
	else
		json_object_set_new(item, "port", json_integer(ntohs(t->dport)));
	json_object_set_new(item, "flows", json_integer((json_int_t)sum->flows));
	json_object_set_new(item, "packets", json_integer((json_int_t)sum->packets));
	json_object_set_new(item, "bytes", json_integer((json_int_t)sum->bytes));
	return item;
}

static int print(struct cli *cli, const struct words *w, struct flow_list *list)
{
	cleanup_free struct sum *sum = calloc(list->n + 1, sizeof(*sum));
	struct names names = {.t = &cli->tsw};
	size_t n, i;
	int err = sum ? names_refresh(&names) : fail_memory();

	if (!err) {
		if (list->n)
			qsort(list->row, list->n, sizeof(*list->row), compare);
		n = add_up(list, sum);
		qsort(sum, n, sizeof(*sum), compare_sums);
		if (w->given & FIELD(OPTION_TOP) && w->option.top < n)
			n = w->option.top;
		out_list_begin(&cli->out);
		for (i = 0; i < n; i++)
			out_item(&cli->out, sum_json(&names, &sum[i]));
		out_list_end(&cli->out);
	}
	names_free(&names);
	return err;
}

int cmd_flows_audited(struct cli *cli, const struct words *w)
{
	cleanup_flow_list struct flow_list list = {};
	__u32 tenant;
	int err = flows_tenant(&cli->tsw, w, &tenant);

	err = err ?: flow_list_read(&cli->tsw, tenant, &list);
	keep_audited(&list);
	return err ?: print(cli, w, &list);
}
