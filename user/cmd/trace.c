// SPDX-License-Identifier: GPL-2.0-only
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "kernel/system.h"
#include "record/counters.h"
#include "record/tenant_find.h"
#include "store/attach.h"
#include "store/config.h"

static json_t *frame_json(const struct trace *tr)
{
	static const char *const words[] = {"tcp", "udp", "icmp", "arp", "nd", NULL};
	const struct trace_frame *f = &tr->frame;
	const bool ip = f->proto != TRACE_RAW;
	json_t *item =
		json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:i}", "from_mac", mac_text(&f->src),
			  "to_mac", mac_text(&f->dst), "from_ip", ip ? addr_text(&f->sip) : NULL,
			  "to_ip", ip ? addr_text(&f->dip) : NULL, "proto", words[f->proto],
			  "length", (int)f->l3_len);

	if (f->proto == TRACE_TCP || f->proto == TRACE_UDP)
		json_object_set_new(item, "port", json_integer(f->dport));
	return item;
}

static json_t *outer_json(const struct trace_outer *o)
{
	const bool gre = o->encap == TSW_ENCAP_GRE;
	json_t *item = json_pack("{s:s, s:s, s:s, s:i, s:i, s:i}", "encap", encap_text(o->encap),
				 "from", addr_text(&o->src), "to", addr_text(&o->dst), "ttl",
				 o->ttl, "dscp", o->tos >> 2, "ecn", o->tos & 3);

	json_object_set_new(item, gre ? "key" : "vni", json_integer(o->id));
	if (!gre) {
		json_object_set_new(item, "source_port", json_integer(o->sport));
		json_object_set_new(item, "port", json_integer(o->dport));
	}
	if (o->family == TSW_IPV6)
		json_object_set_new(item, "flow_label", json_integer(o->label));
	else
		json_object_set_new(item, "df", json_boolean(o->df));
	json_object_set_new(item, "octets", json_integer(o->len));
	return item;
}

static json_t *hop_json(const struct trace_hop *hop)
{
	char name[IFNAMSIZ];

	return json_pack("{s:o, s:s, s:s?, s:i}", "dev",
			 json_text_or_null(if_indextoname(hop->ifindex, name)), "via",
			 addr_text(&hop->via), "mac", hop->resolved ? mac_text(&hop->mac) : NULL,
			 "mtu", (int)hop->mtu);
}

/* What the router does with the mark, as far as the mark and the gateway show it. */
static const char *gateway_says(const struct trace *tr, const struct tsw_mark *mark)
{
	switch (tr->end.mark & TSW_MARK_CLASS) {
	case TSW_MARK_SELF:
		return "to the gateway itself: only answers in flows that conntrack has";
	case TSW_MARK_NAMES:
		return "to the gateway's resolver";
	case TSW_MARK_HELD:
		return "only if conntrack has the flow; else on to the host that serves now";
	}
	if (mark->peer)
		return "to the peer, in what both halves allow";
	return tr->gw.flags & TSW_GATEWAY_NAT ? "to the world, as an address of this host"
					      : "to the world, with its own address";
}

/* Why the programs translate no frame of the flow; NULL: they translate all after the first. */
static const char *slow_why(const struct trace *tr, const struct tsw_gateway *peer)
{
	if ((tr->end.mark & TSW_MARK_CLASS) != TSW_MARK_TENANT)
		return "the host's conntrack has to look at each frame of it";
	if (tr->gw.flags & TSW_GATEWAY_SLOW || peer->flags & TSW_GATEWAY_SLOW)
		return "fast off";
	if (tr->frame.proto != TRACE_TCP && tr->frame.proto != TRACE_UDP)
		return "neither TCP nor UDP";
	if (!system_has_conntrack())
		return "the programs cannot read this kernel's conntrack";
	return NULL;
}

static json_t *gateway_json(struct trace *tr)
{
	const __u32 index = tr->end.mark & TSW_MARK_INDEX;
	struct tsw_mark mark = {};
	struct tsw_gateway far;
	struct tsw_tenant peer;
	const char *slow;
	char text[16];
	json_t *item;

	trace_have(tr, MAP_MARKS, &index, &mark);
	snprintf(text, sizeof(text), "0x%08x", tr->end.mark);
	item = json_pack("{s:s, s:s, s:b}", "mark", text, "then", gateway_says(tr, &mark), "nat",
			 !!(tr->gw.flags & TSW_GATEWAY_NAT));
	if (mark.peer && trace_have(tr, MAP_TENANTS, &mark.peer, &peer))
		json_object_set_new(item, "peer", json_text(peer.name));
	slow = slow_why(tr, mark.peer && trace_have(tr, MAP_GATEWAYS, &mark.peer, &far) ? &far
											: &tr->gw);
	json_object_set_new(item, "way", json_string(slow ? "slow" : "fast"));
	if (slow)
		json_object_set_new(item, "slow_why", json_string(slow));
	return item;
}

static void add_end(struct trace *tr, json_t *item)
{
	const struct trace_end *end = tr->unrun ? &tr->end : &tr->ended;
	const bool dropped = end->kind == TRACE_DROPPED;
	const bool reasoned = dropped || (end->kind == TRACE_ANSWERED && end->reason);
	char name[IFNAMSIZ];
	struct tsw_host host;

	json_object_set_new(item, "verdict", json_string(trace_kind_text(end->kind)));
	json_object_set_new(item, "reason",
			    reasoned ? json_string(drop_reason(end->reason)) : json_null());
	if (dropped)
		json_object_set_new(item, "direction", json_string(drop_direction(end->direction)));
	if (tr->end.kind == TRACE_DELIVERED)
		json_object_set_new(item, "dev",
				    json_text_or_null(if_indextoname(tr->end.ifindex, name)));
	if ((tr->end.kind == TRACE_TUNNEL || tr->end.kind == TRACE_KERNEL) &&
	    trace_have(tr, MAP_HOSTS, &tr->end.host, &host))
		json_object_set_new(item, "host", json_text(host.name));
	json_object_set_new(item, "run", json_boolean(!tr->unrun));
	json_object_set_new(item, "agrees",
			    tr->unrun ? json_null() : json_boolean(trace_agrees(tr)));
}

static json_t *why_json(const struct trace *tr)
{
	json_t *why = json_object();

	if (tr->why[0])
		json_object_set_new(why, "cause", json_text(tr->why));
	if (tr->what_to_do[0])
		json_object_set_new(why, "do", json_text(tr->what_to_do));
	if (tr->unrun)
		json_object_set_new(why, "not_run", json_string(tr->unrun));
	return why;
}

static void add_why(const struct trace *tr, json_t *item)
{
	json_t *why = why_json(tr);

	if (json_object_size(why))
		json_object_set(item, "why", why);
	json_decref(why);
}

static json_t *trace_json(struct trace *tr, const char *to)
{
	enum prog prog = tr->host ? PROG_FROM_WIRE : PROG_FROM_PORT;
	json_t *item = json_pack("{s:o, s:o, s:o, s:s}", "from", json_text(tr->from.key.name.s),
				 "to", json_text(to), "tenant", json_text(tr->tenant.name),
				 "program", prog_name(prog));

	add_end(tr, item);
	json_object_set_new(item, "frame", frame_json(tr));
	json_object_set(item, "steps", tr->steps);
	add_why(tr, item);
	if (tr->outer.there)
		json_object_set_new(item, "outer", outer_json(&tr->outer));
	if (tr->hop.ifindex)
		json_object_set_new(item, "next", hop_json(&tr->hop));
	if (tr->end.kind == TRACE_GATEWAY)
		json_object_set_new(item, "gateway", gateway_json(tr));
	json_object_set(item, "members", tr->members);
	json_object_set_new(item, "far", trace_far(tr));
	json_object_set(item, "problems", tr->problems);
	json_object_set(item, "unproven", tr->unproven);
	return item;
}

static struct trace_question asked(const struct words *w)
{
	struct trace_question question = w->trace;

	question.given = w->given;
	return question;
}

int fit_trace(struct words *w)
{
	const struct trace_question question = asked(w);

	return trace_check(&question);
}

static int trace_one(struct trace *tr, struct tsw *t, const struct trace_question *q, bool reply)
{
	int err;

	memset(tr, 0, sizeof(*tr));
	tr->t = t;
	tr->reply = reply;
	tr->steps = json_array();
	tr->members = json_array();
	tr->problems = json_array();
	tr->unproven = json_array();
	err = trace_ask(tr, q);
	tr->asked = json_copy(tr->steps);
	return err ?: trace_explain_and_run(tr);
}

static void forget(struct trace *tr)
{
	json_decref(tr->asked);
	json_decref(tr->steps);
	json_decref(tr->members);
	json_decref(tr->problems);
	json_decref(tr->unproven);
}

/* Appends those of FROM that TO does not have yet. */
static void merge(json_t *to, const json_t *from)
{
	json_t *one, *have;
	size_t i, j;

	json_array_foreach(from, i, one) {
		json_array_foreach(to, j, have)
			if (json_equal(have, one))
				break;
		if (j == json_array_size(to))
			json_array_append(to, one);
	}
}

/* The way back, shortly. That it cannot be traced is no failure: nobody asked for it. */
static void add_back(struct trace *forth, const struct trace_question *question, json_t *item)
{
	static struct trace tr;
	struct trace_question q;
	json_t *back;

	if (!trace_way_back(forth, question, &q))
		return;
	back = json_object();
	if (trace_one(&tr, forth->t, &q, true)) {
		json_object_set_new(back, "cause", json_text(failure()->text));
	} else {
		add_end(&tr, back);
		json_object_update_new(back, why_json(&tr));
		merge(forth->problems, tr.problems);
		merge(forth->unproven, tr.unproven);
	}
	json_object_set_new(item, "back", back);
	forget(&tr);
}

int cmd_trace(struct cli *cli, const struct words *w)
{
	const struct trace_question question = asked(w);
	static struct trace tr;
	json_t *item;
	int err = config_check_netns(&cli->tsw);

	if (err)
		return err;
	err = trace_one(&tr, &cli->tsw, &question, false);
	if (!err) {
		item = trace_json(&tr, question.to);
		add_back(&tr, &question, item);
		out_list(&cli->out, json_pack("[o]", item));
	}
	forget(&tr);
	return err;
}
