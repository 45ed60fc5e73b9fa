// SPDX-License-Identifier: GPL-2.0-only
/* What bpf/port/vip.h and vip_ask.h do with an address that moves between endpoints. */
#include "base/text.h"
#include "trace/trace.h"

static const struct tsw_mac nobody;

/* Whether the endpoint with that MAC may take the address. */
static bool is_member(struct trace *tr, const struct tsw_mac *mac, const struct tsw_addr *addr)
{
	const struct tsw_fdb_key who = {.tenant = tr->id, .mac = *mac};
	struct tsw_vips vips;

	return trace_have(tr, MAP_VIPS, &who, &vips) && vips_list(&vips, addr);
}

bool trace_is_vip(struct trace *tr, const struct tsw_addr *addr, struct tsw_mac *holder)
{
	const struct tsw_addr_key key = {.tenant = tr->id, .addr = *addr};
	struct tsw_addr_owner owner;

	if (!trace_have(tr, MAP_ADDRS, &key, &owner) || owner.kind != TSW_ADDR_VIP)
		return false;
	*holder = owner.mac;
	return true;
}

bool trace_is_free_vip(struct trace *tr, const struct tsw_addr *addr)
{
	struct tsw_mac holder;

	return trace_is_vip(tr, addr, &holder) && mac_equal(&holder, &nobody);
}

void trace_vip(struct trace *tr, const struct tsw_addr *addr)
{
	const char *key = trace_key(tr, addr_text(addr));
	struct tsw_mac holder;

	if (!trace_is_vip(tr, addr, &holder))
		return;
	if (mac_equal(&holder, &nobody))
		trace_step(tr, "vip", TRACE_LOOK(MAP_ADDRS, key, NULL),
			   "a vip that no endpoint has announced, as far as this host has heard");
	else
		trace_step(tr, "vip", TRACE_LOOK(MAP_ADDRS, key, mac_text(&holder)),
			   "a vip, which %s announced last", trace_endpoint_text(tr, &holder));
}

bool trace_vip_take(struct trace *tr)
{
	const struct trace_frame *f = &tr->frame;
	struct tsw_mac holder;

	if (f->proto != TRACE_ARP || !trace_is_vip(tr, &f->sip, &holder) ||
	    mac_equal(&holder, &f->src) || !is_member(tr, &f->src, &f->sip))
		return false;
	if (!mac_equal(&holder, &nobody) &&
	    !(addr_equal(&f->sip, &f->dip) && trace_is_group(&f->dst)))
		return false;
	tr->alters = "a run would give the vip to the sender";
	trace_step(tr, "vip", TRACE_LOOK(MAP_ADDRS, trace_key(tr, addr_text(&f->sip)), NULL),
		   "by this frame %s takes the vip", trace_endpoint_text(tr, &f->src));
	return true;
}

bool trace_vip_probe(struct trace *tr)
{
	const struct trace_frame *f = &tr->frame;
	struct tsw_mac holder;

	return (f->proto == TRACE_ARP ? !f->sip.w[3] : addr_is_none(&f->sip)) &&
	       trace_is_vip(tr, &f->dip, &holder) && is_member(tr, &tr->port.mac, &f->dip);
}

int trace_vip_spoofed(struct trace *tr)
{
	const struct tsw_addr *ip = &tr->frame.sip;
	const char *key = trace_key(tr, addr_text(ip)), *name = quoted(tr->from.key.name.s);
	const bool free = trace_is_free_vip(tr, ip), member = is_member(tr, &tr->port.mac, ip);
	struct tsw_mac holder = {};

	trace_is_vip(tr, ip, &holder);
	trace_drop_at(tr, TSW_DROP_SPOOFED_IP, "guard",
		      TRACE_LOOK(MAP_ADDRS, key, free ? NULL : mac_text(&holder)),
		      "%s is a vip, and %s%s", addr_text(ip),
		      free ? "no endpoint has announced it" : trace_endpoint_text(tr, &holder),
		      free ? "" : " announced it last");
	if (member)
		return trace_advise(tr,
				    "endpoint %s must announce it before it sends: arping -U, or "
				    "its VRRP daemon",
				    name);
	return trace_advise(tr, "endpoint %s lacks the word: %s vip %s, beside its other vips",
			    name, trace_endpoint_set(tr), addr_text(ip));
}

int trace_vip_ask(struct trace *tr)
{
	tr->alters = "a run would ask the tenant who has the vip";
	trace_drop_at(
		tr, TSW_DROP_UNKNOWN_DESTINATION, "inside",
		TRACE_LOOK(MAP_ADDRS, trace_key(tr, addr_text(&tr->frame.dip)), NULL),
		"no endpoint has announced %s, as far as this host has heard; the switch asks "
		"the tenant",
		addr_text(&tr->frame.dip));
	return trace_advise(tr, "the endpoint that has it must announce it, or answer ARP and ND");
}
