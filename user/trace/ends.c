// SPDX-License-Identifier: GPL-2.0-only
/* The sender's container, the way back, and what nothing here can prove. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "record/container.h"
#include "record/tenant_find.h"
#include "trace/trace.h"
#include "wire/mtu.h"

struct end_look {
	struct trace *tr;
	struct container c;
	bool seen;
};

static bool is_wanted(__s32 nsid, void *data)
{
	return nsid == container_nsid(&((struct end_look *)data)->c.dev);
}

static int look(__s32 nsid, struct mnl_socket *socket, void *data)
{
	struct end_look *l = data;
	struct trace *tr = l->tr;
	const struct container_way way = {
		.to = tr->frame.dip,
		.beyond = tr->has_gw && mac_equal(&tr->frame.dst, &tr->gw.mac),
		.by_port = true,
	};

	(void)nsid;
	l->seen = true;
	if (container_judge(&l->c, socket, tr->problems) && trace_is_ip(&tr->frame) &&
	    !trace_is_to_many(&tr->frame.dip))
		container_judge_way(&l->c, socket, &way, tr->problems);
	return 1;
}

static int look_at_sender(struct trace *tr)
{
	const struct endpoint *ep = &tr->from;
	struct end_look l = {.tr = tr};
	__u32 limit;
	int err = tenant_mtu_limit(tr->t, tr->tenant.encap, &limit);

	if (err || ep->moving || ep->pending)
		return err;
	l.c = (struct container){.t = tr->t,
				 .ep = ep,
				 .tenant = &tr->tenant,
				 .gw = tr->has_gw ? &tr->gw : NULL,
				 .mtu = tenant_mtu(tr->tenant.mtu, limit)};
	if (!container_read(&l.c, tr->ifindex))
		err = inside_each(is_wanted, look, &l);
	if (!l.seen)
		trace_unproven(tr,
			       "what the container or VM of endpoint %s has: its MAC, addresses "
			       "and routes cannot be seen from this host",
			       quoted(ep->key.name.s));
	return err;
}

/* What other hosts and the router do. */
static void tell_unproven(struct trace *tr)
{
	const char *from = trace_word(tr->from.key.name.s);
	const char *to =
		tr->to.key.name.s[0] ? trace_word(tr->to.key.name.s) : addr_text(&tr->frame.dip);
	const __u32 host = tr->host ? tr->host : tr->end.host;

	if (host && !tr->reply)
		trace_unproven(tr, "what %s does: run there: tsw trace from %s to %s tenant %s",
			       trace_host_text(tr, host), from, to, trace_word(tr->tenant.name));
	if (tr->end.kind == TRACE_GATEWAY)
		trace_unproven(tr, "what the router does, and who is behind it: NAT, connections, "
				   "the host's routes and firewall");
	if (tr->unrun && tr->end.kind != TRACE_UNSENT)
		trace_unproven(tr, "that the program does what the steps say: %s", tr->unrun);
}

int trace_ends(struct trace *tr)
{
	int err = 0;

	if (!tr->host && tr->end.kind != TRACE_UNSENT)
		err = look_at_sender(tr);
	if (!err)
		tell_unproven(tr);
	return err;
}

/* The receiver's container is the sender's there, so each is looked at once. */
bool trace_way_back(const struct trace *tr, const struct trace_question *asked,
		    struct trace_question *q)
{
	static _Thread_local char to[64];
	const struct trace_frame *f = &tr->frame;
	const bool ports = f->proto == TRACE_TCP || f->proto == TRACE_UDP;
	const bool ip = trace_is_ip(f);

	if (!tr->to.key.name.s[0] || f->proto == TRACE_ARP || f->proto == TRACE_ND ||
	    trace_asks_dhcp(f) || asked->given & (FIELD(TRACE_OF_MAC) | FIELD(TRACE_OF_IP)))
		return false;
	snprintf(to, sizeof(to), "%s", ip ? addr_text(&f->sip) : mac_text(&f->src));
	*q = (struct trace_question){.given = FIELD(TRACE_OF_FROM) | FIELD(TRACE_OF_TO) |
					      FIELD(TRACE_OF_TENANT),
				     .from = tr->to.key.name,
				     .to = to,
				     .tenant = tenant_name_of(tr->t, tr->to.key.tenant)};
	if (ip && endpoint_has_ip(&tr->to, &f->dip)) {
		q->given |= FIELD(TRACE_OF_IP);
		q->ip = f->dip;
	}
	if (ip) {
		q->given |= FIELD(TRACE_OF_PROTO);
		q->proto = f->proto;
	}
	if (ports) {
		q->given |= FIELD(TRACE_OF_PORT);
		q->port = f->sport;
	}
	q->given |= asked->given & FIELD(TRACE_OF_LENGTH);
	q->length = asked->length;
	return true;
}
