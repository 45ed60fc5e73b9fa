// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"

#define ETHER_HEADER 14
#define OUTER_SPORT 40000 /* in place of a source port that is not compared */

static const char *or_else(const char *text, const char *otherwise)
{
	return text ? text : otherwise;
}

/* A word of a test that cannot be read is a mistake in the test. */
static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "# a test is wrong: %s\n", what);
	abort();
}

void frame_put(struct frame *f, const void *octets, size_t len)
{
	must(f->len + len <= FRAME_MAX, "frame too long");
	memcpy(f->b + f->len, octets, len);
	f->len += len;
}

static void put8(struct frame *f, __u8 v)
{
	frame_put(f, &v, 1);
}

static void put16(struct frame *f, __u16 v)
{
	put8(f, v >> 8);
	put8(f, v & 0xff);
}

static void put32(struct frame *f, __u32 v)
{
	put16(f, v >> 16);
	put16(f, v & 0xffff);
}

static void set16(struct frame *f, size_t at, __u16 v)
{
	f->b[at] = v >> 8;
	f->b[at + 1] = v & 0xff;
}

static void put_hex(struct frame *f, const char *hex)
{
	unsigned int octet;
	int used;

	for (; hex && sscanf(hex, " %2x%n", &octet, &used) == 1; hex += used)
		put8(f, octet);
}

void frame_mac(__u8 *to, const char *mac)
{
	int n = sscanf(mac, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx", to, to + 1, to + 2, to + 3,
		       to + 4, to + 5);

	must(n == 6, mac);
}

static void put_mac(struct frame *f, const char *mac)
{
	__u8 b[6];

	frame_mac(b, mac);
	frame_put(f, b, sizeof(b));
}

bool frame_ip(__u8 *to, const char *ip)
{
	bool v6 = strchr(ip, ':');

	memset(to, 0, 16);
	if (!v6)
		to[10] = to[11] = 0xff;
	must(inet_pton(v6 ? AF_INET6 : AF_INET, ip, v6 ? to : to + 12) == 1, ip);
	return v6;
}

static void put_ip(struct frame *f, const char *ip)
{
	__u8 b[16];

	if (frame_ip(b, ip))
		frame_put(f, b, 16);
	else
		frame_put(f, b + 12, 4);
}

/* RFC 1071, word by word. */
__u32 frame_sum(const void *octets, size_t len, __u32 sum)
{
	const __u8 *b = octets;

	for (size_t i = 0; i < len; i++) {
		sum += i % 2 ? b[i] : b[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

__u16 frame_checksum(const void *octets, size_t len, __u32 sum)
{
	return ~frame_sum(octets, len, sum) & 0xffff;
}

/* The sum of the pseudo-header over which UDP, TCP and ICMPv6 are computed. */
static __u32 pseudo_sum(const char *from, const char *to, __u8 proto, size_t len)
{
	struct frame p = {};

	put_ip(&p, from);
	put_ip(&p, to);
	put32(&p, len);
	put32(&p, proto);
	return frame_sum(p.b, p.len, 0);
}

static void put_payload(struct frame *f, size_t len)
{
	for (size_t i = 0; i < len; i++)
		put8(f, i * 7 + (i >> 8));
}

static void put_udp_header(struct frame *f, __u16 sport, __u16 dport, size_t payload)
{
	put16(f, sport);
	put16(f, dport);
	put16(f, 8 + payload);
	put16(f, 0);
}

static void put_tcp_header(struct frame *f, __u16 sport, __u16 dport, __u8 flags)
{
	put16(f, sport);
	put16(f, dport);
	put32(f, 0x01020304); /* sequence */
	put32(f, 0x05060708); /* acknowledgement */
	put8(f, 0x80);	      /* 32 octets of header */
	put8(f, flags);
	put16(f, 1024);
	put32(f, 0);	      /* checksum, urgent */
	put32(f, 0x0101080a); /* two no-operations, timestamps */
	put32(f, 0x11121314);
	put32(f, 0x21222324);
}

/* The upper layer, with its checksum, where one is computed. */
static void put_upper(struct frame *f, const struct spec *s, bool v6)
{
	const char *from = or_else(s->from, v6 ? IP6_A : IP_A);
	const char *to = or_else(s->to, v6 ? IP6_B : IP_B);
	size_t at = f->len, check;
	__u8 proto = s->kind == KIND_TCP ? 6 : s->kind == KIND_UDP ? 17 : 58;
	__u32 sum = 0;

	if (s->kind == KIND_UDP) {
		put_udp_header(f, s->sport ?: 1000, s->dport ?: 2000, s->payload);
		check = at + 6;
	} else if (s->kind == KIND_TCP) {
		put_tcp_header(f, s->sport ?: 1000, s->dport ?: 2000, s->tcp_flags ?: 0x10);
		check = at + 16;
	} else {
		put8(f, s->icmp_type);
		put8(f, s->icmp_code);
		put16(f, 0);
		put_hex(f, s->rest);
		if (s->target)
			put_ip(f, s->target);
		put_hex(f, s->tail);
		check = at + 2;
	}
	put_payload(f, s->payload);
	if (v6 || s->kind != KIND_ICMP)
		sum = pseudo_sum(from, to, proto, f->len - at);
	set16(f, check, s->left ? sum : frame_checksum(f->b + at, f->len - at, sum));
}

static __u8 upper_proto(const struct spec *s, bool v6)
{
	const __u8 icmp = v6 ? 58 : 1;

	if (s->proto)
		return s->proto;
	return s->kind == KIND_UDP ? 17 : s->kind == KIND_TCP ? 6 : icmp;
}

static void put_ipv4(struct frame *f, const struct spec *s)
{
	size_t at = f->len, header;

	put32(f, 0x45000000 | (__u32)s->tos << 16);
	put16(f, s->id);
	put16(f, s->frag);
	put8(f, s->ttl ?: 64);
	put8(f, upper_proto(s, false));
	put16(f, 0);
	put_ip(f, or_else(s->from, IP_A));
	put_ip(f, or_else(s->to, IP_B));
	put_hex(f, s->ext);
	header = f->len - at;
	must(header % 4 == 0 && header <= 60, "length of IPv4 options");
	f->b[at] = 0x40 | header / 4;
	put_upper(f, s, false);
	set16(f, at + 2, f->len - at + s->lie);
	set16(f, at + 10, frame_checksum(f->b + at, header, 0));
}

static void put_ipv6(struct frame *f, const struct spec *s)
{
	size_t at = f->len;

	put32(f, 0x60000000 | (__u32)s->tos << 20 | s->flow);
	put16(f, 0);
	put8(f, s->ext ? s->next : upper_proto(s, true));
	put8(f, s->ttl ?: 64);
	put_ip(f, or_else(s->from, IP6_A));
	put_ip(f, or_else(s->to, IP6_B));
	put_hex(f, s->ext);
	put_upper(f, s, true);
	set16(f, at + 4, f->len - at - 40 + s->lie);
}

/* RFC 826. */
static void put_arp(struct frame *f, const struct spec *s)
{
	put32(f, 0x00010800);
	put16(f, 0x0604);
	put16(f, s->op ?: 1);
	put_mac(f, or_else(s->sha, or_else(s->src, MAC_A)));
	put_ip(f, or_else(s->from, IP_A));
	put_mac(f, or_else(s->tha, MAC_NONE));
	put_ip(f, or_else(s->to, IP_B));
	put_payload(f, s->payload);
}

static void put_inner(struct frame *f, const struct spec *s)
{
	bool v6 = (s->from && strchr(s->from, ':')) || (s->to && strchr(s->to, ':'));
	__u16 type = s->kind == KIND_ARP ? 0x0806 : v6 ? 0x86dd : 0x0800;

	put_mac(f, or_else(s->dst, s->kind == KIND_ARP ? MAC_BROADCAST : MAC_B));
	put_mac(f, or_else(s->src, MAC_A));
	put16(f, s->type ?: type);
	if (s->kind == KIND_RAW) {
		put_hex(f, s->rest);
		put_payload(f, s->payload);
	} else if (s->kind == KIND_ARP) {
		put_arp(f, s);
	} else if (v6) {
		put_ipv6(f, s);
	} else {
		put_ipv4(f, s);
	}
}

bool frame_is_v6(const struct outer *o)
{
	return (o->from && strchr(o->from, ':')) || (o->to && strchr(o->to, ':'));
}

static const char *outer_from(const struct outer *o)
{
	return or_else(o->from, frame_is_v6(o) ? IP6_WIRE : IP_WIRE);
}

static const char *outer_to(const struct outer *o)
{
	return or_else(o->to, frame_is_v6(o) ? IP6_HOST2 : IP_HOST2);
}

static __u8 outer_proto(const struct outer *o)
{
	return o->proto ? o->proto : o->gre ? 47 : 17;
}

static void put_outer_ipv4(struct frame *f, const struct outer *o)
{
	size_t at = f->len;

	put32(f, 0x45000000 | (__u32)o->tos << 16);
	put16(f, 0);
	put16(f, o->frag ^ 0x4000); /* DF */
	put8(f, o->ttl ?: 64);
	put8(f, outer_proto(o));
	put16(f, 0);
	put_ip(f, outer_from(o));
	put_ip(f, outer_to(o));
	put_hex(f, o->options);
	f->b[at] = 0x40 | (f->len - at) / 4;
}

static void put_outer_ipv6(struct frame *f, const struct outer *o)
{
	put32(f, 0x60000000 | (__u32)o->tos << 20 | o->flow);
	put16(f, 0);
	put8(f, o->options ? o->next : outer_proto(o));
	put8(f, o->ttl ?: 64);
	put_ip(f, outer_from(o));
	put_ip(f, outer_to(o));
	put_hex(f, o->options);
}

/* The length fields, and the IPv4 header's own checksum. */
static void end_outer(struct frame *f, const struct outer *o, size_t l4)
{
	const size_t at = ETHER_HEADER;

	if (!o->gre)
		set16(f, l4 + 4, f->len - l4 + o->udp_lie);
	if (frame_is_v6(o)) {
		set16(f, at + 4, f->len - at - 40 + o->ip_lie);
		return;
	}
	set16(f, at + 2, f->len - at + o->ip_lie);
	set16(f, at + 10, frame_checksum(f->b + at, l4 - at, 0) ^ o->bad_sum);
}

/* RFC 7348 section 5. */
static void put_vxlan(struct frame *f, const struct outer *o)
{
	put_udp_header(f, o->sport ?: OUTER_SPORT, o->dport ?: 4789, 0);
	put32(f, 0x08000000 ^ o->flip);
	put32(f, (o->vni ?: 100) << 8 | o->reserved);
}

/* RFC 8926 section 3.4: the first word has the options' length, in words. */
static void put_geneve(struct frame *f, const struct outer *o)
{
	const size_t at = f->len;

	put_udp_header(f, o->sport ?: OUTER_SPORT, o->dport ?: 6081, 0);
	put32(f, 0x00006558 ^ o->flip);
	put32(f, (o->vni ?: 100) << 8 | o->reserved);
	put_hex(f, o->tlvs);
	f->b[at + 8] ^= (f->len - at - 16) / 4;
}

/* RFC 2784 and RFC 2890; each field is there if its flag says so. */
static void put_gre(struct frame *f, const struct outer *o)
{
	__u32 flags = (o->csum ? 0x8000 : 0) | (o->routing ? 0x4000 : 0) |
		      (o->no_key ? 0 : 0x2000) | (o->sequence ? 0x1000 : 0);

	put32(f, (flags << 16 | 0x6558) ^ o->flip);
	if (o->csum || o->routing)
		put32(f, 0);
	if (!o->no_key)
		put32(f, o->vni ?: 100);
	if (o->sequence)
		put32(f, 0xfffffff0);
}

/* UDP's (RFC 768: never zero) or GRE's (RFC 2784 section 2.5). */
static void put_outer_csum(struct frame *f, const struct outer *o, size_t l4)
{
	size_t at = l4 + (o->gre ? 4 : 6), len = f->len - l4;
	__u32 pseudo = o->gre ? 0 : pseudo_sum(outer_from(o), outer_to(o), 17, len);
	__u16 sum = frame_checksum(f->b + l4, len, pseudo);

	if (o->csum == CSUM_LEFT)
		sum = pseudo;
	else if (!o->gre && !sum)
		sum = 0xffff;
	if (o->csum)
		set16(f, at, sum ^ o->csum_lie);
}

/*
 * The headers of RFC 7348, RFC 2784 or RFC 8926 around a frame. A checksum counts the frame as it
 * will be once the device has written the one that is left to it: `left` then is what is there so
 * far.
 */
static void put_outer(struct frame *f, const struct outer *o, const struct frame *inner,
		      const struct frame *left)
{
	size_t l4;

	put_mac(f, or_else(o->dst, MAC_HOST2));
	put_mac(f, or_else(o->src, MAC_WIRE));
	put16(f, o->type ?: (frame_is_v6(o) ? 0x86dd : 0x0800));
	if (frame_is_v6(o))
		put_outer_ipv6(f, o);
	else
		put_outer_ipv4(f, o);
	l4 = f->len;
	if (o->gre)
		put_gre(f, o);
	else if (o->geneve)
		put_geneve(f, o);
	else
		put_vxlan(f, o);
	frame_put(f, inner->b, inner->len);
	end_outer(f, o, l4);
	put_outer_csum(f, o, l4);
	memcpy(f->b + f->len - left->len, left->b, left->len);
	put_payload(f, o->padding);
}

void frame_build(const struct spec *s, struct frame *f)
{
	struct spec done = *s;
	struct frame inner, left;

	inner.len = left.len = f->len = 0;
	put_inner(&left, s);
	done.left = false;
	put_inner(&inner, &done);
	if (s->outer)
		put_outer(f, s->outer, &inner, &left);
	else
		frame_put(f, left.b, left.len);
	must(s->cut < f->len, "more cut than there is");
	f->len -= s->cut;
}

size_t frame_inner_len(const struct spec *s)
{
	struct frame inner = {};

	put_inner(&inner, s);
	return inner.len - s->cut;
}

size_t frame_outer_len(const struct outer *o)
{
	struct frame nothing = {}, f = {};

	if (o)
		put_outer(&f, o, &nothing, &nothing);
	return o ? f.len - o->padding : 0;
}

static void dump(const char *what, const struct frame *f, size_t from)
{
	size_t end = f->len < from + 32 ? f->len : from + 32;

	fprintf(stderr, "#   %s at %zu:", what, from);
	for (size_t i = from; i < end; i++)
		fprintf(stderr, " %02x", f->b[i]);
	fprintf(stderr, "\n");
}

/* Compares whole frames, and shows where they part. */
bool frame_equal(const char *name, const struct frame *got, const struct frame *want)
{
	size_t i, from;

	for (i = 0; i < got->len && i < want->len; i++)
		if (got->b[i] != want->b[i])
			break;
	if (got->len == want->len && i == got->len)
		return true;
	fprintf(stderr, "# %s: the frame has %zu octets, %zu expected; they part at %zu\n", name,
		got->len, want->len, i);
	from = i - i % 16;
	dump("got ", got, from);
	dump("want", want, from);
	return false;
}
