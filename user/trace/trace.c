// SPDX-License-Identifier: GPL-2.0-only
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "kernel/nsid.h"
#include "record/counters.h"
#include "record/peer_pair.h"
#include "store/attach.h"
#include "trace/trace.h"
#include "wire/underlay.h"

int trace_explain(struct trace *tr)
{
	json_decref(tr->steps);
	tr->steps = json_copy(tr->asked);
	json_array_clear(tr->members);
	json_array_clear(tr->problems);
	json_array_clear(tr->unproven);
	tr->why[0] = tr->what_to_do[0] = '\0';
	tr->end = (struct trace_end){};
	tr->alters = NULL;
	tr->behind = false;
	if (tr->host)
		trace_from_wire(tr);
	else
		trace_from_port(tr);
	return tr->err;
}

/* DEV is up, but not what is at its other end. */
static void look_at_end(struct trace *tr, const struct link *dev)
{
	char netns[NSID_NAME];
	struct link end;

	if (underlay_has(&tr->t->config, dev->ifindex))
		trace_problem(tr, "device_down",
			      "device %s has no carrier: its cable, or what is at its other end",
			      quoted(dev->name));
	else if (link_peer(dev, &end))
		trace_problem(tr, "device_down", "nothing runs at the other end of device %s",
			      quoted(dev->name));
	else if (dev->netnsid && nsid_name(dev->nsid, netns))
		trace_problem(tr, "device_down",
			      "the other end of device %s is down: ip -n %s link set %s up",
			      quoted(dev->name), trace_word(netns), trace_word(end.name));
	else
		trace_problem(
			tr, "device_down",
			"the other end of device %s is down. In the container: ip link set %s up",
			quoted(dev->name), trace_word(end.name));
}

/* Reports what would stop a real frame at this device, but not the traced one. */
static void look_at_port(struct trace *tr, __u32 ifindex, enum prog prog)
{
	struct link dev;

	if (link_by_index(ifindex, &dev))
		return;
	if (!attached_tc(tr->t, prog, ifindex))
		trace_problem(tr, "not_attached",
			      "%s is not attached to device %s: tsw switch repair", prog_name(prog),
			      quoted(dev.name));
	if (!(dev.flags & IFF_UP))
		trace_problem(tr, "device_down", "device %s is down: ip link set %s up",
			      quoted(dev.name), trace_word(dev.name));
	else if (!(dev.flags & IFF_RUNNING))
		look_at_end(tr, &dev);
}

/* Without a peering a frame to another tenant's endpoint goes out to the uplink. */
static void look_at_stranger(struct trace *tr)
{
	struct tsw_tenant other;

	if (!trace_have(tr, MAP_TENANTS, &tr->to.key.tenant, &other))
		return;
	trace_problem(tr, "not_peered",
		      "%s is an endpoint of tenant %s, which is not a peer: tsw peer add %s with "
		      "%s; tsw peer add %s with %s",
		      quoted(tr->to.key.name.s), quoted(other.name), trace_word(tr->tenant.name),
		      trace_word(other.name), trace_word(other.name), trace_word(tr->tenant.name));
}

/* The router lets a new flow pass if both halves of the peering allow its protocol and port. */
static void look_at_peering(struct trace *tr, const struct tsw_mark *mark)
{
	const bool tcp = tr->frame.proto == TRACE_TCP, udp = tr->frame.proto == TRACE_UDP;
	const __u8 asked = tcp ? IPPROTO_TCP : udp ? IPPROTO_UDP : 0;
	struct tsw_tenant other;
	char allowed[64];
	struct pair pair;
	__u16 port;
	__u8 proto;

	if (tr->reply || pair_load(tr->t, mark->tenant, mark->peer, &pair) ||
	    !trace_have(tr, MAP_TENANTS, &mark->peer, &other))
		return;
	if (!peer_common(&pair, &proto, &port))
		snprintf(allowed, sizeof(allowed), "nothing in common");
	else if (proto && (proto != asked || port != tr->frame.dport))
		snprintf(allowed, sizeof(allowed), "only %s port %u",
			 proto == IPPROTO_TCP ? "tcp" : "udp", port);
	else
		return;
	trace_problem(tr, "not_peered",
		      "the router drops it: the halves of the peering of %s with %s allow %s: tsw "
		      "peer show %s",
		      quoted(tr->tenant.name), quoted(other.name), allowed,
		      trace_word(tr->tenant.name));
}

static void look_at_peer(struct trace *tr)
{
	const __u32 index = tr->end.mark & TSW_MARK_INDEX;
	struct tsw_mark mark;

	if (!trace_have(tr, MAP_MARKS, &index, &mark))
		return;
	if (mark.peer)
		look_at_peering(tr, &mark);
	else if (tr->to.key.tenant && tr->to.key.tenant != tr->id)
		look_at_stranger(tr);
}

static void look_around(struct trace *tr)
{
	if (tr->end.kind != TRACE_UNSENT)
		look_at_port(tr, tr->ifindex, tr->host ? PROG_FROM_WIRE : PROG_FROM_PORT);
	if (tr->end.kind == TRACE_DELIVERED)
		look_at_port(tr, tr->end.ifindex, PROG_TO_PORT);
	if (tr->end.kind == TRACE_GATEWAY)
		look_at_peer(tr);
	if (tr->from.pending)
		trace_problem(tr, "pending",
			      "endpoint %s is pending: its command is at work, or was killed",
			      quoted(tr->from.key.name.s));
	if (tr->end.kind == TRACE_TUNNEL && tr->hop.ifindex && !tr->hop.resolved &&
	    !tr->hop.unasked)
		trace_problem(tr, "neighbour",
			      "the kernel does not know the MAC of the next hop %s yet",
			      addr_text(&tr->hop.via));
}

static const char *reason_text(const struct trace_end *end)
{
	static _Thread_local char text[2][48];
	static _Thread_local int next;
	char *out = text[next++ % 2];

	snprintf(out, sizeof(text[0]), "%s%s", end->reason ? " " : "",
		 end->reason ? drop_reason(end->reason) : "");
	return out;
}

/* An entry may have changed between explanation and run; then a second explanation agrees. */
static int compare(struct trace *tr)
{
	struct trace_hop hop;
	int err = trace_explain(tr);

	err = err ?: trace_run(tr);
	if (err || trace_agrees(tr))
		return err;
	hop = tr->hop;
	err = trace_explain(tr);
	if (tr->ended.kind == TRACE_TUNNEL)
		tr->hop = hop;
	if (err || trace_agrees(tr))
		return err;
	trace_problem(tr, "explanation_differs",
		      "the steps end as %s%s, but the program as %s%s: the program is right, and "
		      "the explanation has a bug",
		      trace_kind_text(tr->end.kind), reason_text(&tr->end),
		      trace_kind_text(tr->ended.kind), reason_text(&tr->ended));
	return 0;
}

int trace_explain_and_run(struct trace *tr)
{
	int err = compare(tr);

	if (err)
		return err;
	look_around(tr);
	return trace_ends(tr);
}
