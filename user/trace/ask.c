// SPDX-License-Identifier: GPL-2.0-only
/* Makes the frame that the sender would send for the operator's question. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "kernel/link.h"
#include "record/gateway_find.h"
#include "record/tenant_find.h"
#include "trace/trace.h"

enum { SPORT = 40000, TCP_PORT = 80, UDP_PORT = 53, OUTER_SPORT = 49152, OUTER_TTL = 64 };

static const struct tsw_mac broadcast = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};

/* Like parse_mac(), but also takes group addresses. */
static bool is_mac(const char *text, struct tsw_mac *mac)
{
	static const char shape[] = "xx:xx:xx:xx:xx:xx";
	size_t i;

	for (i = 0; shape[i]; i++)
		if (shape[i] == ':' ? text[i] != ':'
				    : !strchr("0123456789abcdefABCDEF", text[i]) || !text[i])
			return false;
	return !text[i] && sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx", &mac->b[0],
				  &mac->b[1], &mac->b[2], &mac->b[3], &mac->b[4], &mac->b[5]) == 6;
}

static bool is_ip(const char *text, struct tsw_addr *addr)
{
	__be32 v4;

	if (inet_pton(AF_INET, text, &v4) == 1) {
		*addr = addr_from_v4(v4);
		return true;
	}
	return inet_pton(AF_INET6, text, addr) == 1 && !addr_is_v4(addr);
}

static const char *const frames[] = {"tcp", "udp", "icmp", "arp", "nd", NULL};

#define AT(field) offsetof(struct trace_question, field)

/* clang-format off */
const struct field trace_fields[] = {
	[TRACE_OF_FROM]   = {"from", FIELD_NAME, AT(from)},
	[TRACE_OF_TO]     = {"to", FIELD_TEXT, AT(to)},
	[TRACE_OF_TENANT] = {"tenant", FIELD_NAME, AT(tenant)},
	[TRACE_OF_PROTO]  = {"proto", FIELD_CHOICE, AT(proto), .choices = frames},
	[TRACE_OF_PORT]   = {"port", FIELD_NUMBER, AT(port), .min = 1, .max = 65535},
	[TRACE_OF_LENGTH] = {"length", FIELD_NUMBER, AT(length), .min = 28, .max = 65535},
	[TRACE_OF_MAC]    = {"mac", FIELD_MAC, AT(mac)},
	[TRACE_OF_IP]     = {"ip", FIELD_IP, AT(ip)},
	{},
};
/* clang-format on */

static bool gives(const struct trace_question *q, enum trace_field field)
{
	return q->given & FIELD(field);
}

int trace_check(const struct trace_question *q)
{
	struct tsw_name name;
	struct tsw_addr addr;
	struct tsw_mac mac;
	const bool asks = gives(q, TRACE_OF_PROTO) && q->proto >= TRACE_ARP;
	const bool v4 = is_ip(q->to, &addr) && addr_is_v4(&addr);
	int err;

	if (!is_mac(q->to, &mac) && !is_ip(q->to, &addr)) {
		err = parse_known_name(q->to, &name);
		if (err)
			return err;
	} else if (is_ip(q->to, &addr) && asks && v4 != (q->proto == TRACE_ARP)) {
		return misuse("%s is an %s address: \"proto arp\" asks for IPv4, \"nd\" for IPv6",
			      quoted(q->to), family_text(addr_family(&addr)));
	}
	if (gives(q, TRACE_OF_PORT) && (!gives(q, TRACE_OF_PROTO) || q->proto > TRACE_UDP))
		return misuse("\"port\" needs proto tcp or udp");
	if (gives(q, TRACE_OF_LENGTH) && asks)
		return misuse("\"length\" is not possible with proto arp or nd: theirs is fixed");
	return 0;
}

/* The sender's address of that family: the one that was given, or its first. */
static const struct tsw_addr *source(const struct trace *tr, const struct trace_question *q,
				     enum tsw_family family)
{
	unsigned int i;

	if (gives(q, TRACE_OF_IP))
		return addr_family(&q->ip) == family ? &q->ip : NULL;
	for (i = 0; i < tr->from.n_ip; i++)
		if (addr_family(&tr->from.ip[i]) == family)
			return &tr->from.ip[i];
	return NULL;
}

/* RFC 1112 section 6.4, RFC 2464 section 7. */
static struct tsw_mac group_mac(const struct tsw_addr *addr)
{
	const __u8 *b = (const __u8 *)&addr->w[3];

	if (!addr_is_v4(addr))
		return (struct tsw_mac){{0x33, 0x33, b[0], b[1], b[2], b[3]}};
	if (addr->w[3] == 0xffffffff)
		return broadcast;
	return (struct tsw_mac){{0x01, 0x00, 0x5e, b[1] & 0x7f, b[2], b[3]}};
}

/*
 * Whether DIP is outside of the sender's network, by the gateway's networks. Without a gateway
 * nothing is outside.
 */
static bool is_beyond(const struct trace *tr, const struct tsw_addr *sip,
		      const struct tsw_addr *dip, bool owned)
{
	bool family = false, inside = false;
	__u32 i;

	if (!tr->has_gw || addr_is_link_local(dip))
		return false;
	for (i = 0; i < tr->gw.n_addrs; i++) {
		const struct tsw_prefix *net = &tr->gw.addr[i];

		family |= addr_family(&net->addr) == addr_family(dip);
		inside |= prefix_has(net, sip);
		if (prefix_has(net, sip) && prefix_has(net, dip))
			return false;
	}
	return family && (inside || !owned);
}

/* The request goes to the owner alone. For the switch it is the same, and no copy can be sent. */
static void ask_neighbour(struct trace *tr, bool known, const struct tsw_mac *owner)
{
	struct trace_frame *f = &tr->frame;

	f->proto = addr_is_v4(&f->dip) ? TRACE_ARP : TRACE_ND;
	if (known)
		f->dst = *owner;
	else if (f->proto == TRACE_ARP)
		f->dst = broadcast;
	else /* the solicited-node group, RFC 4291 section 2.7.1 */
		f->dst = (struct tsw_mac){{0x33, 0x33, 0xff, ((__u8 *)&f->dip)[13],
					   ((__u8 *)&f->dip)[14], ((__u8 *)&f->dip)[15]}};
}

/* The sender's stack sends to the owner, the gateway or a group, or it first asks for the MAC. */
static int route(struct trace *tr, const struct trace_question *q)
{
	struct trace_frame *f = &tr->frame;
	struct tsw_mac owner = {};
	const bool free = trace_is_free_vip(tr, &f->dip);
	bool known = !free && (trace_neighbour(tr, tr->id, &f->dip, &owner) ||
			       trace_service(tr, &f->dip, &owner));

	trace_vip(tr, &f->dip);
	if (f->proto == TRACE_ARP || f->proto == TRACE_ND) {
		ask_neighbour(tr, known, &owner);
	} else if (trace_is_to_many(&f->dip)) {
		f->dst = group_mac(&f->dip);
	} else if (is_beyond(tr, &f->sip, &f->dip, known || free)) {
		f->dst = tr->gw.mac;
		trace_step(tr, "address",
			   TRACE_LOOK(MAP_GATEWAYS, tr->tenant.name, mac_text(&f->dst)),
			   "%s is outside of the sender's network: to the gateway's MAC",
			   addr_text(&f->dip));
	} else if (known) {
		f->dst = owner;
	} else {
		if (gives(q, TRACE_OF_LENGTH))
			return fail(EHOSTUNREACH,
				    "nobody in tenant %s has %s: the sender asks for its MAC, so "
				    "leave out \"length\"",
				    quoted(tr->tenant.name), addr_text(&f->dip));
		ask_neighbour(tr, false, &owner);
		trace_step(tr, "address",
			   TRACE_LOOK(MAP_ADDRS, trace_key(tr, addr_text(&f->dip)), NULL),
			   tr->has_gw
				   ? "no endpoint has it: the sender first asks the LAN; this "
				     "request is traced"
				   : "no endpoint has it, and the tenant has no gateway here: the "
				     "sender asks the LAN; this request is traced");
	}
	return tr->err;
}

static int to_address(struct trace *tr, const struct trace_question *q, const struct tsw_addr *dip)
{
	const struct tsw_addr *sip = source(tr, q, addr_family(dip));

	if (!sip)
		return fail(EADDRNOTAVAIL, "endpoint %s has no %s address to send from: give ip IP",
			    quoted(q->from.s), family_text(addr_family(dip)));
	tr->frame.sip = *sip;
	tr->frame.dip = *dip;
	return route(tr, q);
}

/* The destination's first address of a family that the sender has, too. */
static const struct tsw_addr *common(const struct trace *tr, const struct trace_question *q)
{
	const struct tsw_addr *ip;
	unsigned int i;

	for (i = 0; i < tr->to.n_ip; i++) {
		ip = &tr->to.ip[i];
		if (gives(q, TRACE_OF_PROTO) && q->proto >= TRACE_ARP &&
		    addr_is_v4(ip) != (q->proto == TRACE_ARP))
			continue;
		if (source(tr, q, addr_family(ip)))
			return ip;
	}
	return NULL;
}

/* Without addresses it is a frame other than IP. */
static int to_mac(struct trace *tr, const struct trace_question *q, const struct tsw_mac *mac)
{
	if (gives(q, TRACE_OF_PROTO))
		return fail(EADDRNOTAVAIL, "%s: that proto needs an address of both ends",
			    quoted(q->to));
	tr->frame.proto = TRACE_RAW;
	tr->frame.dst = *mac;
	return 0;
}

/* Loads the endpoint with that MAC into `to`, if one has it. */
static int find_mac(struct trace *tr, const struct tsw_mac *mac)
{
	struct tsw_endpoint_key key = {.tenant = tr->id};
	int err = endpoint_by_mac(tr->t, tr->id, mac, &key.name);

	err = err ?: endpoint_load(tr->t, &key, &tr->to);
	return err == -ENOENT ? 0 : err;
}

static int by_mac(struct trace *tr, const struct trace_question *q, const struct tsw_mac *mac)
{
	const struct tsw_addr *ip = NULL;
	__u32 i;
	int err = find_mac(tr, mac);

	if (err)
		return err;
	ip = common(tr, q);
	for (i = 0; !ip && tr->has_gw && mac_equal(mac, &tr->gw.mac) && i < tr->gw.n_addrs; i++)
		if (source(tr, q, addr_family(&tr->gw.addr[i].addr)))
			ip = &tr->gw.addr[i].addr;
	if (!ip)
		return to_mac(tr, q, mac);
	tr->frame.sip = *source(tr, q, addr_family(ip));
	tr->frame.dip = *ip;
	tr->frame.dst = *mac;
	return 0;
}

static int by_ip(struct trace *tr, const struct trace_question *q, const struct tsw_addr *ip)
{
	struct tsw_mac owner;
	int err = 0;

	if (trace_neighbour(tr, tr->id, ip, &owner))
		err = find_mac(tr, &owner);
	return err ?: to_address(tr, q, ip);
}

/* An endpoint that this host does not know may live elsewhere. */
static int not_here(int err, const char *name)
{
	const struct failure why = *failure();

	if (err != -ENOENT || !strstr(why.text, "no endpoint"))
		return err;
	return fail(ENOENT,
		    "%s here; if it is on another host: tsw endpoint add %s tenant TENANT mac MAC "
		    "ip IP host HOST",
		    why.text, trace_word(name));
}

static int by_name(struct trace *tr, const struct trace_question *q)
{
	const struct tsw_name any = {};
	struct tsw_endpoint_key key = {.tenant = tr->id};
	const struct tsw_addr *ip;
	int err = parse_known_name(q->to, &key.name);

	err = err ?: endpoint_load(tr->t, &key, &tr->to);
	if (err == -ENOENT)
		err = endpoint_find(tr->t, &any, &key.name, &tr->to);
	if (err == -ENOTUNIQ)
		return fail(err,
			    "tenant %s has no endpoint %s, but several others have: give its IP",
			    quoted(tr->tenant.name), quoted(q->to));
	if (err)
		return not_here(err, q->to);
	if (tr->to.key.tenant != tr->id)
		trace_step(tr, "address",
			   TRACE_LOOK(MAP_ENDPOINTS, tr->to.key.name.s,
				      tenant_text(tr->t, tr->to.key.tenant)),
			   "it is in another tenant: the frame is sent to its address");
	ip = common(tr, q);
	if (ip)
		return to_address(tr, q, ip);
	if (tr->to.key.tenant == tr->id)
		return to_mac(tr, q, &tr->to.mac);
	return fail(EADDRNOTAVAIL, "endpoint %s is in tenant %s, and has no address to send to",
		    quoted(q->to), tenant_text(tr->t, tr->to.key.tenant));
}

static int find_sender(struct trace *tr, const struct trace_question *q)
{
	int err = endpoint_find(tr->t, &q->tenant, &q->from, &tr->from);

	if (err)
		return not_here(err, q->from.s);
	tr->id = tr->from.key.tenant;
	err = map_get(&tr->t->maps, MAP_TENANTS, &tr->id, &tr->tenant);
	if (err == -ENOENT)
		return fail(ENOENT, "its tenant has just been deleted");
	if (!err && !tr->from.placed)
		return fail(ENOENT, "endpoint %s is pending: its command is at work, or was killed",
			    quoted(q->from.s));
	if (err)
		return err;
	tr->from.at = *endpoint_now(&tr->from);
	tr->ifindex = tr->from.at.id;
	tr->host = tr->from.at.place == TSW_PLACE_HOST ? tr->from.at.id : 0;
	err = gateway_get(tr->t, tr->id, &tr->gw);
	tr->has_gw = !err;
	return err == -ENOENT ? 0 : err;
}

static int set_length(struct trace *tr, const struct trace_question *q)
{
	struct trace_frame *f = &tr->frame;

	f->l3_len = gives(q, TRACE_OF_LENGTH) ? q->length : trace_frame_usual(f);
	if (f->l3_len < trace_frame_least(f))
		return fail(EINVAL, "%u octets are too few: such a packet has at least %u",
			    f->l3_len, trace_frame_least(f));
	return 0;
}

/* The first device of the underlay that exists. */
static int underlay_device(struct trace *tr, struct link *dev)
{
	const struct tsw_underlay *u = tr->t->config.underlay;
	int i, err = -ENODEV;

	for (i = 0; err == -ENODEV && i < TSW_UNDERLAYS && u[i].ifindex; i++)
		err = link_by_index(u[i].ifindex, dev);
	return err == -ENODEV ? fail(err, "the underlay's device is gone") : err;
}

/* Adds the outer headers that the other host would add. */
static int wrap(struct trace *tr)
{
	static const struct tsw_mac far_end = {{0x02, 0, 0, 0, 0, 0xfe}};
	const struct tsw_config *c = &tr->t->config;
	struct tsw_host host;
	struct link dev;
	int err = map_get(&tr->t->maps, MAP_HOSTS, &tr->host, &host);

	if (err == -ENOENT)
		return fail(err, "the host of endpoint %s is not known",
			    quoted(tr->from.key.name.s));
	err = err ?: underlay_device(tr, &dev);
	if (err)
		return err;
	tr->ifindex = dev.ifindex;
	tr->outer = (struct trace_outer){
		.there = true,
		.encap = tr->tenant.encap,
		.family = host.family,
		.src = host.addr[host.family & 1],
		.dst = c->local[host.family & 1],
		.id = tr->id,
		.sport = OUTER_SPORT,
		.dport = tr->tenant.encap == TSW_ENCAP_GENEVE ? TSW_GENEVE_PORT : ntohs(c->port),
		.ttl = OUTER_TTL,
		.df = host.family == TSW_IPV4,
		.len = TSW_OVERHEAD(tr->tenant.encap, host.family),
	};
	trace_frame_wrap(&tr->frame, &tr->outer, &dev.mac, &far_end);
	return 0;
}

int trace_ask(struct trace *tr, const struct trace_question *q)
{
	struct trace_frame *f = &tr->frame;
	struct tsw_addr ip;
	struct tsw_mac mac;
	int err = find_sender(tr, q);

	if (err)
		return err;
	f->proto = gives(q, TRACE_OF_PROTO) ? (enum trace_proto)q->proto : TRACE_ICMP;
	f->src = gives(q, TRACE_OF_MAC) ? q->mac : tr->from.mac;
	f->sport = SPORT;
	f->dport = gives(q, TRACE_OF_PORT) ? (__u16)q->port
		   : f->proto == TRACE_TCP ? TCP_PORT
					   : UDP_PORT;
	if (is_mac(q->to, &mac))
		err = by_mac(tr, q, &mac);
	else if (is_ip(q->to, &ip))
		err = by_ip(tr, q, &ip);
	else
		err = by_name(tr, q);
	err = err ?: tr->err ? tr->err : set_length(tr, q);
	if (err)
		return err;
	trace_frame_build(f);
	return tr->host ? wrap(tr) : 0;
}
