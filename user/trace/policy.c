// SPDX-License-Identifier: GPL-2.0-only
/* A tenant's policy for a frame that begins a connection, by trying all rules one by one. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/text.h"
#include "record/policy_find.h"
#include "record/policy_ways.h"
#include "trace/trace.h"

enum { DNS_PORT = 53 };

/* One end of the connection. */
struct side {
	struct tsw_policy_member groups;
	struct tsw_addr addr;
	bool outside; /* behind the gateway */
	bool behind;  /* in a network behind an endpoint */
	bool own;     /* the gateway or the switch itself answers */
	bool all;     /* broadcast or multicast */
};

static __u8 proto_of(enum trace_proto proto)
{
	switch (proto) {
	case TRACE_TCP:
		return IPPROTO_TCP;
	case TRACE_UDP:
		return IPPROTO_UDP;
	case TRACE_ICMP:
		return IPPROTO_ICMP;
	default:
		return 0;
	}
}

static bool is_who(const struct tsw_policy_end *end, const struct side *side)
{
	const struct tsw_prefix prefix = {.addr = end->cidr, .len = end->length};
	size_t i;

	if (end->who == TSW_POLICY_ANY)
		return true;
	if (end->who & TSW_POLICY_CIDR)
		return (side->outside || side->behind) && prefix_has(&prefix, &side->addr);
	for (i = 0; i < TSW_POLICY_MEMBER; i++)
		if (side->groups.group[i] == end->who)
			return !side->outside && !side->all;
	return false;
}

static bool matches(const struct trace_frame *f, const struct tsw_policy_rule *rule,
		    const struct side *from, const struct side *to)
{
	return is_who(&rule->from, from) && is_who(&rule->to, to) &&
	       (!rule->proto || rule->proto == proto_of(f->proto)) &&
	       ((!rule->first && !rule->last) ||
		(f->dport >= rule->first && f->dport <= rule->last));
}

/* The name of the rule that decides; empty: no rule matches. */
static struct tsw_name decide(struct trace *tr, const struct side *from, const struct side *to,
			      struct tsw_policy_choice *best)
{
	cleanup_rows struct rows rows = {};
	struct tsw_name name = {};
	size_t i;
	int err = map_rows(&tr->t->maps, MAP_POLICY_RULES, &rows);

	if (err && !tr->err)
		tr->err = err;
	*best = (struct tsw_policy_choice){};
	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_policy_name *key = row_key(&rows, i);
		const struct tsw_policy_rule *rule = row_value(&rows, i);
		const struct tsw_policy_choice choice = policy_rule_choice(rule);

		if (key->tenant != tr->id || !matches(&tr->frame, rule, from, to) ||
		    !policy_is_better(&choice, best))
			continue;
		*best = choice;
		name = key->name;
	}
	return name;
}

/* An endpoint by its MAC: its groups, and whether the address is in a network behind it. */
static void see_endpoint(struct trace *tr, const struct tsw_mac *mac, struct side *side)
{
	const int err = policy_member_load(tr->t, tr->id, mac, &side->groups);
	struct tsw_behind behind;

	if (err && !tr->err)
		tr->err = err;
	side->behind =
		trace_behind(tr, tr->id, &side->addr, &behind) && mac_equal(&behind.mac, mac);
}

static void see_from(struct trace *tr, struct side *from)
{
	struct tsw_fdb at;

	from->addr = tr->frame.sip;
	from->outside =
		!trace_fdb(tr, tr->id, &tr->frame.src, &at) || at.place == TSW_PLACE_GATEWAY;
	if (!from->outside)
		see_endpoint(tr, &tr->frame.src, from);
}

/* False: the destination is unknown, which the next step reports. */
static bool see_to(struct trace *tr, struct side *to)
{
	const struct trace_frame *f = &tr->frame;
	struct tsw_mac owner = f->dst;
	struct tsw_fdb at;
	bool known;

	to->addr = f->dip;
	to->all = trace_is_group(&f->dst);
	if (to->all)
		return true;
	if (!trace_fdb(tr, tr->id, &f->dst, &at))
		return false;
	if (at.place == TSW_PLACE_GATEWAY) {
		known = trace_owner(tr, tr->id, &f->dip, &owner);
		to->own = (known && mac_equal(&owner, &f->dst)) ||
			  (addr_is_service(&f->dip) && f->dport == DNS_PORT);
		to->outside = !known || to->own;
	}
	if (!to->outside)
		see_endpoint(tr, &owner, to);
	return true;
}

static bool default_denies(const struct tsw_policy *policy, const struct side *from,
			   const struct side *to)
{
	if (to->own)
		return false;
	if (policy_member_any(&from->groups) || policy_member_any(&to->groups) ||
	    (to->all && policy->members))
		return true;
	return policy->deny;
}

static const char *text_of(const struct tsw_name *rule, bool denied, const struct side *from,
			   const struct side *to)
{
	if (rule->s[0])
		return denied ? "the rule denies it" : "the rule allows it";
	if (to->own)
		return "the gateway's own address is always allowed";
	if (!policy_member_any(&from->groups) && !policy_member_any(&to->groups) && !to->all)
		return denied ? "no rule matches: denied by default"
			      : "no rule matches: allowed by default";
	return denied ? "no rule allows it, and one end is in a group" : "no rule matches: allowed";
}

int trace_policy(struct trace *tr, bool asked)
{
	struct side from = {}, to = {};
	struct tsw_policy_choice best;
	struct tsw_policy policy;
	struct tsw_name rule;
	bool denied;

	if (!asked || tr->frame.proto == TRACE_ARP || tr->frame.proto == TRACE_ND ||
	    trace_asks_dhcp(&tr->frame) || !trace_have(tr, MAP_POLICIES, &tr->id, &policy) ||
	    policy.mode == TSW_POLICY_OFF)
		return TRACE_NEXT;
	if (tr->reply)
		tr->alters = "a run would begin the reply's connection anew";
	see_from(tr, &from);
	if (!see_to(tr, &to))
		return TRACE_NEXT;
	rule = decide(tr, &from, &to, &best);
	denied = best.number ? TSW_POLICY_DENIES(best.weight) : default_denies(&policy, &from, &to);
	trace_step(tr, "policy",
		   TRACE_LOOK(MAP_POLICY_RULES, trace_key(tr, rule.s[0] ? rule.s : "*"),
			      rule.s[0] ? denied ? "deny" : "allow" : NULL),
		   "%s%s", text_of(&rule, denied, &from, &to),
		   !denied			     ? ""
		   : policy.mode == TSW_POLICY_AUDIT ? "; but it is only audited"
		   : tr->reply			     ? "; but a reply of a known connection passes"
						     : "");
	if (!denied || policy.mode == TSW_POLICY_AUDIT || tr->reply)
		return TRACE_NEXT;
	if (rule.s[0]) {
		trace_drop(tr, TSW_DROP_POLICY_DENIED, "rule %s of tenant %s denies it",
			   quoted(rule.s), quoted(tr->tenant.name));
		return trace_advise(tr, "tsw policy show %s; tsw policy set %s %s action allow",
				    trace_word(tr->tenant.name), trace_word(tr->tenant.name),
				    trace_word(rule.s));
	}
	trace_drop(tr, TSW_DROP_POLICY_DENIED, "no rule of tenant %s allows it",
		   quoted(tr->tenant.name));
	return trace_advise(
		tr, "tsw policy show %s; a rule that allows it: tsw policy add %s NAME from … to …",
		trace_word(tr->tenant.name), trace_word(tr->tenant.name));
}
