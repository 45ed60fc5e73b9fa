// SPDX-License-Identifier: GPL-2.0-only
/* The explanation of a flood: which ports and hosts get a copy of the frame. */
#include "base/json.h"
#include "trace/trace.h"

/* Whether the port is of a moving endpoint that is at its other place now. */
static bool is_elsewhere(struct trace *tr, __u32 member)
{
	struct tsw_port port;
	struct tsw_fdb at;

	return !(member & TSW_MEMBER_HOST) && trace_have(tr, MAP_PORTS, &member, &port) &&
	       port.flags & TSW_PORT_MOVES && trace_fdb(tr, tr->id, &port.mac, &at) &&
	       (at.place != TSW_PLACE_PORT || at.id != member);
}

static void add_member(struct trace *tr, __u32 member)
{
	const struct tsw_fdb at = {.place = member & TSW_MEMBER_HOST ? TSW_PLACE_HOST
								     : TSW_PLACE_PORT,
				   .id = member & ~TSW_MEMBER_HOST};

	json_array_append_new(tr->members,
			      json_pack("{s:o}", "copy_to", json_text(trace_fdb_text(tr, &at))));
}

/* A ring may change during the walk, so the steps are limited to the possible members. */
static __u32 walk_ring(struct trace *tr, __u32 head)
{
	struct tsw_group_key key = {.tenant = tr->id, .member = head};
	struct tsw_group group;
	__u32 n = 0, left = tr->t->config.max_endpoints + TSW_MAX_HOSTS;

	while (left-- && trace_have(tr, MAP_GROUPS, &key, &group) && group.next != head) {
		key.member = group.next;
		if ((!tr->host && key.member == tr->from.at.id) || is_elsewhere(tr, key.member))
			continue;
		add_member(tr, key.member);
		n++;
	}
	return n;
}

/* All of the tenant hear an announcement of a vip, and a question who has one. */
static bool asks_for_vip(struct trace *tr)
{
	const struct trace_frame *f = &tr->frame;
	struct tsw_mac holder;

	return (f->proto == TRACE_ARP || f->proto == TRACE_ND) &&
	       trace_is_vip(tr, &f->dip, &holder);
}

int trace_flood(struct trace *tr)
{
	__u32 n;

	if (!(tr->tenant.flags & TSW_TENANT_BROADCAST) && !asks_for_vip(tr)) {
		trace_drop_at(tr, TSW_DROP_BROADCAST_OFF, "flood",
			      TRACE_LOOK(MAP_TENANTS, tr->tenant.name, "broadcast off"),
			      "the tenant's broadcast is off");
		return trace_advise(tr, "tsw tenant set %s broadcast on",
				    trace_word(tr->tenant.name));
	}
	n = walk_ring(tr, TSW_MEMBER_PORTS);
	if (!tr->host)
		n += walk_ring(tr, TSW_MEMBER_HOSTS);
	trace_step(tr, "flood", TRACE_LOOK(MAP_GROUPS, tr->tenant.name, n ? "members" : NULL),
		   "%u cop%s", n, n == 1 ? "y" : "ies");
	return trace_finish(tr, TRACE_FLOODED);
}
