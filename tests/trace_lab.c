// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "record/counters.h"
#include "base/err.h"
#include "frame.h"
#include "base/text.h"
#include "trace/trace.h"
#include "trace_lab.h"
#include "record/endpoint_find.h"
#include "store/tsw.h"

enum { SPORT = 40000, DPORT = 80, OUTER_PORT = 50000, TTL = 64 };

static struct tsw t;
static struct trace tr;

static void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "# trace: %s: %s\n", what, failure()->text);
	abort();
}

void trace_lab_open(struct bpf_object *object, int from_port, int from_wire)
{
	const __u32 zero = 0;
	int i;

	t = (struct tsw){.instance = "test"};
	for (i = 0; i < MAP_COUNT; i++)
		t.maps.fd[i] = bpf_object__find_map_fd_by_name(object, map_name(i));
	for (i = 0; i < PROG_COUNT; i++)
		t.prog[i] = -1;
	t.prog[PROG_FROM_PORT] = from_port;
	t.prog[PROG_FROM_WIRE] = from_wire;
	must(map_get(&t.maps, MAP_CONFIG, &zero, &t.config), "config");
	tr = (struct trace){.asked = json_array(),
			    .steps = json_array(),
			    .members = json_array(),
			    .problems = json_array()};
	tr.t = &t;
}

void trace_lab_close(void)
{
	json_decref(tr.asked);
	json_decref(tr.steps);
	json_decref(tr.members);
	json_decref(tr.problems);
}

static struct tsw_mac mac(const char *text)
{
	struct tsw_mac m = {};

	frame_mac(m.b, text);
	return m;
}

static struct tsw_addr ip(const char *text)
{
	struct tsw_addr addr = addr_from_v4(0);

	if (inet_pton(AF_INET, text, &addr.w[3]) != 1 && inet_pton(AF_INET6, text, &addr) != 1)
		abort();
	return addr;
}

/* As trace_ask() does. */
static void wrap(void)
{
	const struct tsw_mac here = mac(MAC_WIRE), far_end = mac(MAC_HOST2);
	struct tsw_host host;

	must(map_get(&t.maps, MAP_HOSTS, &tr.host, &host), "the host");
	tr.outer = (struct trace_outer){
		.there = true,
		.encap = tr.tenant.encap,
		.family = host.family,
		.src = host.addr[host.family & 1],
		.dst = t.config.local[host.family & 1],
		.id = tr.id,
		.sport = OUTER_PORT,
		.dport = tr.tenant.encap == TSW_ENCAP_GENEVE ? TSW_GENEVE_PORT
							     : ntohs(t.config.port),
		.ttl = TTL,
		.df = host.family == TSW_IPV4,
		.len = TSW_OVERHEAD(tr.tenant.encap, host.family),
	};
	trace_frame_wrap(&tr.frame, &tr.outer, &here, &far_end);
}

static void ask(const struct trace_try *try)
{
	struct trace_frame *f = &tr.frame;
	const __u32 zero = 0;
	int err;

	must(map_get(&t.maps, MAP_CONFIG, &zero, &t.config), "config");
	tr.id = try->tenant;
	must(map_get(&t.maps, MAP_TENANTS, &tr.id, &tr.tenant), "the tenant");
	err = map_get(&t.maps, MAP_GATEWAYS, &tr.id, &tr.gw);
	tr.has_gw = !err;
	tr.ifindex = try->ifindex;
	tr.host = try->host;
	tr.outer = (struct trace_outer){};
	tr.from = (struct endpoint){.key = {.tenant = tr.id, .name = {"from"}},
				    .mac = mac(try->own),
				    .placed = true,
				    .at = {TSW_PLACE_PORT, try->ifindex}};
	if (try->host)
		tr.from.at = (struct tsw_fdb){TSW_PLACE_HOST, try->host};
	f->proto = try->proto;
	f->src = mac(try->src);
	f->dst = mac(try->dst);
	f->sip = try->proto == TRACE_RAW ? (struct tsw_addr){} : ip(try->sip);
	f->dip = try->proto == TRACE_RAW ? (struct tsw_addr){} : ip(try->dip);
	f->sport = SPORT;
	f->dport = DPORT;
	f->l3_len = try->length ? try->length : trace_frame_usual(f);
	trace_frame_build(f);
	if (tr.host)
		wrap();
}

bool trace_lab_agrees(const struct trace_try *try, char *text, size_t len)
{
	ask(try);
	must(trace_explain(&tr), "explain");
	must(trace_run(&tr), "run");
	snprintf(
		text, len,
		"%s -> %s, %s -> %s, proto %u, %u octets: explained %s %s 0x%x, run %s %s 0x%x: %s",
		try->src, try->dst, try->sip, try->dip, try->proto, tr.frame.l3_len,
		trace_kind_text(tr.end.kind), tr.end.reason ? drop_reason(tr.end.reason) : "-",
		tr.end.mark, trace_kind_text(tr.ended.kind),
		tr.ended.reason ? drop_reason(tr.ended.reason) : "-", tr.ended.mark, tr.why);
	return trace_agrees(&tr);
}
