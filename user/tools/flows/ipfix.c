// SPDX-License-Identifier: GPL-2.0-only
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>

#include "tools/flows/ipfix.h"

enum { VERSION = 10, HEADER = 16, SET_HEADER = 4, SET_TEMPLATES = 2, ETHERNET = 14 };

/* Information elements that IANA has numbered. */
enum {
	OCTET_DELTA_COUNT = 1,
	PACKET_DELTA_COUNT = 2,
	PROTOCOL_IDENTIFIER = 4,
	TCP_CONTROL_BITS = 6,
	SOURCE_TRANSPORT_PORT = 7,
	SOURCE_IPV4_ADDRESS = 8,
	INGRESS_INTERFACE = 10,
	DESTINATION_TRANSPORT_PORT = 11,
	DESTINATION_IPV4_ADDRESS = 12,
	EGRESS_INTERFACE = 14,
	SOURCE_IPV6_ADDRESS = 27,
	DESTINATION_IPV6_ADDRESS = 28,
	ICMP_TYPE_CODE_IPV4 = 32,
	SOURCE_MAC_ADDRESS = 56,
	FLOW_DIRECTION = 61,
	DESTINATION_MAC_ADDRESS = 80,
	FORWARDING_STATUS = 89,
	FLOW_END_REASON = 136,
	ICMP_TYPE_CODE_IPV6 = 139,
	FLOW_START_MILLISECONDS = 152,
	FLOW_END_MILLISECONDS = 153,
	INGRESS_VRFID = 234,
};

struct element {
	__u16 id;
	__u16 len;
};

/* tcpControlBits in one octet: RFC 7125 section 3. */
/* clang-format off */
#define PORTS \
	{SOURCE_TRANSPORT_PORT, 2}, {DESTINATION_TRANSPORT_PORT, 2}, {TCP_CONTROL_BITS, 1}
#define REST \
	{PROTOCOL_IDENTIFIER, 1}, {FLOW_DIRECTION, 1}, {FORWARDING_STATUS, 1}, \
	{FLOW_END_REASON, 1}, {INGRESS_VRFID, 4}, {INGRESS_INTERFACE, 4}, {EGRESS_INTERFACE, 4}, \
	{SOURCE_MAC_ADDRESS, TSW_MAC_LEN}, {DESTINATION_MAC_ADDRESS, TSW_MAC_LEN}, \
	{PACKET_DELTA_COUNT, 8}, {OCTET_DELTA_COUNT, 8}, {FLOW_START_MILLISECONDS, 8}, \
	{FLOW_END_MILLISECONDS, 8}
#define ENDS4 {SOURCE_IPV4_ADDRESS, 4}, {DESTINATION_IPV4_ADDRESS, 4}
#define ENDS6 {SOURCE_IPV6_ADDRESS, 16}, {DESTINATION_IPV6_ADDRESS, 16}

static const struct element ports4[] = {ENDS4, PORTS, REST, {}};
static const struct element ports6[] = {ENDS6, PORTS, REST, {}};
static const struct element icmp4[] = {ENDS4, {ICMP_TYPE_CODE_IPV4, 2}, REST, {}};
static const struct element icmp6[] = {ENDS6, {ICMP_TYPE_CODE_IPV6, 2}, REST, {}};
/* clang-format on */

/* A template for each kind of flow, so that each element has a meaning in its records. */
enum { FIRST_TEMPLATE = 256 };
static const struct element *const templates[] = {ports4, ports6, icmp4, icmp6};
enum { TEMPLATES = sizeof(templates) / sizeof(templates[0]) };

static __u16 template_of(const struct tsw_flow_tuple *t)
{
	const bool icmp = t->proto == (t->version == 4 ? IPPROTO_ICMP : IPPROTO_ICMPV6);

	return FIRST_TEMPLATE + (t->version == 4 ? 0 : 1) + (icmp ? 2 : 0);
}

/* ---- octets ----------------------------------------------------------------------- */

static void write_number(__u8 *to, __u64 value, size_t len)
{
	while (len--) {
		to[len] = (__u8)value;
		value >>= 8;
	}
}

static void put_octets(struct ipfix *x, const void *octets, size_t len)
{
	memcpy(x->data + x->used, octets, len);
	x->used += len;
}

static void put_number(struct ipfix *x, __u64 value, size_t len)
{
	write_number(x->data + x->used, value, len);
	x->used += len;
}

static void close_set(struct ipfix *x)
{
	if (x->set)
		write_number(x->data + x->set_at + 2, x->used - x->set_at, 2);
	x->set = 0;
}

static void open_set(struct ipfix *x, __u16 id)
{
	close_set(x);
	x->set = id;
	x->set_at = x->used;
	put_number(x, id, 2);
	put_number(x, 0, 2);
}

static void open_message(struct ipfix *x)
{
	x->used = x->records = 0;
	x->set = 0;
	put_number(x, VERSION, 2);
	put_number(x, 0, 2);
	put_number(x, x->time, 4);
	put_number(x, x->sequence, 4);
	put_number(x, x->domain, 4);
}

int ipfix_end(struct ipfix *x)
{
	const size_t len = x->used;

	if (!len)
		return 0;
	close_set(x);
	write_number(x->data + 2, len, 2);
	x->sequence += x->records; /* RFC 7011 section 3.1: modulo 2^32 */
	x->used = 0;
	return x->send(x->context, x->data, len);
}

/* ---- templates -------------------------------------------------------------------- */

static size_t count(const struct element *e)
{
	size_t n = 0;

	while (e[n].id)
		n++;
	return n;
}

static size_t record_len(const struct element *e)
{
	size_t len = 0;

	for (; e->id; e++)
		len += e->len;
	return len;
}

int ipfix_begin(struct ipfix *x, __u32 time)
{
	const struct element *e;
	int i;

	x->time = time;
	open_message(x);
	open_set(x, SET_TEMPLATES);
	for (i = 0; i < TEMPLATES; i++) {
		put_number(x, FIRST_TEMPLATE + i, 2);
		put_number(x, count(templates[i]), 2);
		for (e = templates[i]; e->id; e++) {
			put_number(x, e->id, 2);
			put_number(x, e->len, 2);
		}
	}
	close_set(x);
	return 0;
}

/* ---- flows ------------------------------------------------------------------------ */

/* RFC 7270 section 4.12: the upper two bits are 1 forwarded or 2 dropped, the others say why. */
static __u8 forwarding_status(__u16 verdict)
{
	switch (verdict) {
	case TSW_DROP_NONE:
	case TSW_FLOW_AUDITED:
		return 64;
	case TSW_DROP_POLICY_DENIED:
		return 129; /* ACL deny */
	case TSW_DROP_NO_ROUTE:
	case TSW_DROP_UNKNOWN_DESTINATION:
		return 131; /* unroutable */
	case TSW_DROP_TOO_BIG:
		return 133; /* fragmentation and DF set */
	case TSW_DROP_RATE_LIMITED:
		return 138; /* policer */
	case TSW_DROP_SPOOFED_IP:
	case TSW_DROP_SPOOFED_MAC:
		return 140; /* reverse path */
	default:
		return 128; /* unknown */
	}
}

/* octetDeltaCount counts from the IP header on: RFC 7012 and IANA's registry. */
static __u64 ip_octets(const struct ipfix_flow *f)
{
	const __u64 headers = f->packets * ETHERNET;

	return f->bytes > headers ? f->bytes - headers : 0;
}

/* Flows are observed at the endpoint's port, where direction OUT comes in. */
static __u64 number(__u16 id, const struct ipfix_flow *f)
{
	const struct tsw_flow_tuple *t = &f->record->tuple;
	const bool out = t->direction == TSW_FLOW_OUT;

	switch (id) {
	case OCTET_DELTA_COUNT:
		return ip_octets(f);
	case PACKET_DELTA_COUNT:
		return f->packets;
	case PROTOCOL_IDENTIFIER:
		return t->proto;
	case TCP_CONTROL_BITS:
		return f->record->tcp_flags;
	case SOURCE_TRANSPORT_PORT:
	case ICMP_TYPE_CODE_IPV4:
	case ICMP_TYPE_CODE_IPV6:
		return ntohs(t->sport);
	case DESTINATION_TRANSPORT_PORT:
		return ntohs(t->dport);
	case INGRESS_INTERFACE:
		return out ? t->ifindex : 0;
	case EGRESS_INTERFACE:
		return out ? 0 : t->ifindex;
	case FLOW_DIRECTION:
		return out ? 0 : 1;
	case FORWARDING_STATUS:
		return forwarding_status(t->verdict);
	case FLOW_END_REASON:
		return f->reason;
	case FLOW_START_MILLISECONDS:
		return f->start;
	case FLOW_END_MILLISECONDS:
		return f->end;
	default:
		return f->tenant;
	}
}

static void put_element(struct ipfix *x, const struct element *e, const struct ipfix_flow *f)
{
	const struct tsw_flow_record *r = f->record;

	switch (e->id) {
	case SOURCE_IPV4_ADDRESS:
		put_octets(x, &r->tuple.src.w[3], e->len);
		break;
	case DESTINATION_IPV4_ADDRESS:
		put_octets(x, &r->tuple.dst.w[3], e->len);
		break;
	case SOURCE_IPV6_ADDRESS:
		put_octets(x, &r->tuple.src, e->len);
		break;
	case DESTINATION_IPV6_ADDRESS:
		put_octets(x, &r->tuple.dst, e->len);
		break;
	case SOURCE_MAC_ADDRESS:
		put_octets(x, &r->src, e->len);
		break;
	case DESTINATION_MAC_ADDRESS:
		put_octets(x, &r->dst, e->len);
		break;
	default:
		put_number(x, number(e->id, f), e->len);
	}
}

int ipfix_add(struct ipfix *x, const struct ipfix_flow *f)
{
	const __u16 id = template_of(&f->record->tuple);
	const struct element *e = templates[id - FIRST_TEMPLATE];
	const size_t len = record_len(e) + (x->set == id ? 0 : SET_HEADER);
	int err = 0;

	if (x->used && x->used + len > x->most)
		err = ipfix_end(x);
	if (!x->used)
		open_message(x);
	if (x->set != id)
		open_set(x, id);
	for (; e->id; e++)
		put_element(x, e, f);
	x->records++;
	return err;
}
