// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "promise.h"
#include "tunnel_read.h"

__u32 promise_tenant(const struct frame *f)
{
	struct seen s;

	return tunnel_read(f, &s) ? s.tenant : 0;
}

/* The hosts' addresses; index 0: this one's. */
static __u32 host_of(const __u8 *addr)
{
	static const struct {
		const char *ip;
		__u32 host;
	} hosts[] = {
		{IP_HOST2, HOST2},
		{IP6_HOST2, HOST2},
		{IP_HOST3, HOST3},
		{IP6_HOST4, HOST4},
		{IP_HOST5, HOST5},
		{IP6_HOST5, HOST5},
		{IP_SILENT, HOST_SILENT},
		{IP6_SILENT, HOST6_SILENT},
		{IP_ROUTED, HOST_ROUTED},
		{IP6_ROUTED, HOST6_ROUTED},
		{IP_TWO_WAYS, HOST_TWO_WAYS},
		{IP6_TWO_WAYS, HOST6_TWO_WAYS},
		{IP_NO_ROUTE, HOST_NO_ROUTE},
		{IP6_NO_ROUTE, HOST6_NO_ROUTE},
		{IP_STRAY, HOST_STRAY},
		{IP6_STRAY, HOST6_STRAY},
		{IP_WIRE, 1},
		{IP6_WIRE, 1},
	};
	static __u8 known[COUNT(hosts)][16];

	if (!known[0][10])
		for (size_t i = 0; i < COUNT(hosts); i++)
			frame_ip(known[i], hosts[i].ip);
	for (size_t i = 0; i < COUNT(hosts); i++)
		if (!memcmp(known[i], addr, 16))
			return hosts[i].host;
	return 0;
}

#define HERE 0x1000 /* with a port's index: it is not on another host */

static const __u8 mac_g[MAC_LEN] = {2, 0, 0, 0, 0, 0xfe};

/* Where a tenant's MAC lives, as the picture of lab.h has it; 0: nowhere. */
static __u32 place_of(__u32 tenant, const __u8 *mac)
{
	static const __u8 first[MAC_LEN - 1] = {2};
	static const __u32 places[TENANTS][6] = {
		{HERE | RED_A, HERE | RED_B, HOST2, HOST3, HOST4, HOST5},
		{HERE | BLUE_A, HERE | BLUE_B, HOST3, HOST2, HOST5, HOST4},
		{HERE | GREEN_A, HERE | GREEN_B, HOST2, HOST3, HOST4, HOST5},
		{HERE | LARGE_A, 0, HOST2, HOST3, HOST4, HOST5},
		{HERE | VIOLET_A, 0, HOST2, HOST3, HOST4, HOST5},
	};
	int slot = lab_slot(tenant);
	__u8 last = mac[MAC_LEN - 1];

	if (slot == TENANTS || memcmp(mac, first, sizeof(first)))
		return 0;
	if (last >= 0x0a && last <= 0x0f)
		return places[slot][last - 0x0a];
	if (last == 0x01 && tenant == RED)
		return HERE | RED_N;
	/* MAC_ON_SILENT and so on, in the order of the hosts. */
	if (last >= 0x16 && last <= 0x1f && (tenant == RED || tenant == GREEN))
		return HOST_SILENT + last - 0x16;
	return 0;
}

static bool is_stamped(const struct packet_run *run, __u32 tenant, __u32 place)
{
	const __u32 *cb = run->ctx.cb;

	return cb[0] == (__u32)SECRET && cb[1] == SECRET >> 32 && cb[2] == tenant &&
	       (HERE | cb[3]) == place;
}

/* A link-local address that is not made from the MAC of one of the tenant. */
static bool is_shown(__u32 tenant, const __u8 *ip)
{
	static const __u8 prefix[8] = {0xfe, 0x80}, of_mac[7] = {0, 0, 0, 0xff, 0xfe, 0, 0};
	const __u8 mac[MAC_LEN] = {2, 0, 0, 0, 0, ip[15]};

	return !memcmp(ip, prefix, sizeof(prefix)) &&
	       (memcmp(ip + 8, of_mac, sizeof(of_mac)) ||
		(!place_of(tenant, mac) && memcmp(mac, mac_g, sizeof(mac))));
}

/* A's own address, or none where one is allowed to have none. */
static bool source_is_own(__u32 tenant, const __u8 *eth)
{
	static const char *const own[] = {IP_A, "0.0.0.0", IP6_A, LL6_A, "::", "::ffff:10.0.0.1"};
	static const __u8 a[MAC_LEN] = {2, 0, 0, 0, 0, 0x0a};
	static __u8 known[COUNT(own)][16];
	__u8 from[16] = {[10] = 0xff, 0xff};
	__u32 type = get16(eth + 12);

	if (!known[0][10])
		for (size_t i = 0; i < COUNT(own); i++)
			frame_ip(known[i], own[i]);
	if (memcmp(eth + 6, a, sizeof(a)) || type == 0x8100 || type == 0x88a8)
		return false;
	for (size_t i = 0; i < COUNT(own); i++) {
		if (type == 0x0800 && i < 2 && !memcmp(eth + 26, known[i] + 12, 4))
			return true;
		if (type == 0x0806 && i < 2 && !memcmp(eth + 28, known[i] + 12, 4))
			return !memcmp(eth + 22, a, sizeof(a));
		if (type == 0x86dd && i >= 2 && !memcmp(eth + 22, known[i], 16))
			return true;
	}
	if (type == 0x86dd && (is_shown(tenant, eth + 22) || promise_words_source(eth, eth + 22)))
		return true;
	memcpy(from + 12, eth + (type == 0x0800 ? 26 : 28), 4);
	if (type == 0x0800 || (type == 0x0806 && !memcmp(eth + 22, a, sizeof(a))))
		return promise_words_source(eth, from);
	return type != 0x0800 && type != 0x0806 && type != 0x86dd;
}

/* An IP address of an endpoint's, by the MAC it has; the MAC's last octet, or 0. */
static __u8 endpoint_of(const __u8 *ip)
{
	static const __u8 v4[15] = {[10] = 0xff, 0xff, 10}, v6[15] = {0xfd};
	const __u8 last = ip[15];

	if (promise_owner(ip))
		return promise_owner(ip);
	if ((memcmp(ip, v4, sizeof(v4)) && memcmp(ip, v6, sizeof(v6))) || !last)
		return 0;
	return last <= 6 ? last + 9 : last == 0xfe ? last : 0;
}

/* The addresses of an IP frame, IPv4's mapped; an IPv6 frame with mapped ones has none. */
static bool see_ips(const __u8 *eth, __u8 from[16], __u8 to[16])
{
	static const __u8 mapped[12] = {[10] = 0xff, 0xff};
	__u32 type = get16(eth + 12);

	if (type == 0x86dd) {
		memcpy(from, eth + 22, 16);
		memcpy(to, eth + 38, 16);
		return memcmp(from, mapped, sizeof(mapped)) && memcmp(to, mapped, sizeof(mapped));
	}
	memcpy(from, mapped, sizeof(mapped));
	memcpy(to, mapped, sizeof(mapped));
	memcpy(from + 12, eth + 26, 4);
	memcpy(to + 12, eth + 30, 4);
	return type == 0x0800;
}

/* Where no frame may leave a tenant for: hosts, groups, loopback, links, nothing. */
static bool is_barred(const __u8 *to, bool v6)
{
	static const __u8 none[15];

	if (host_of(to) > 1)
		return true;
	if (v6)
		return to[0] == 0xff || (to[0] == 0xfe && (to[1] & 0xc0) == 0x80) ||
		       (!memcmp(to, none, sizeof(none)) && to[15] < 2);
	return !to[12] || to[12] == 127 || to[12] >= 224 || (to[12] == 169 && to[13] == 254);
}

/* In the gateway's networks: what is nobody's there is not the world's. */
static bool is_own_lan(const __u8 *to)
{
	static const __u8 v4[15] = {[10] = 0xff, 0xff, 10}, v6[8] = {0xfd};

	return !memcmp(to, v4, sizeof(v4)) || !memcmp(to, v6, sizeof(v6));
}

/* A gateway that is new here gets what has begun since: TCP, all else stays with the old one. */
static bool may_be_new(const __u8 *eth)
{
	return get16(eth + 12) == 0x86dd || eth[ETHER_HEADER + 9] == 6;
}

/* Into the router: an endpoint's own frame, under the tenant's own index. */
static bool enters(__u32 tenant, const __u8 *eth, const struct packet_run *run)
{
	const __u32 mark = packet_sealed_mark(&run->out), class = mark >> 16;
	bool by_gateway = !memcmp(eth + MAC_LEN, mac_g, MAC_LEN);
	__u8 from[16], to[16], sender;

	if (run->ctx.mark || memcmp(eth, mac_g, MAC_LEN) ||
	    (mark & 0xffff) != 1U + lab_slot(tenant) || !see_ips(eth, from, to))
		return false;
	sender = endpoint_of(from);
	if (!sender || (!by_gateway && eth[MAC_LEN * 2 - 1] != sender) ||
	    is_barred(to, get16(eth + 12) == 0x86dd))
		return false;
	if (endpoint_of(to))
		return endpoint_of(to) == 0xfe && class == 0x7455;
	if (is_own_lan(to))
		return false;
	return class == 0x7450;
}

/* Encapsulated as the tenant is, from here to that host, otherwise as it was. */
static bool is_sent(__u32 tenant, __u32 host, const struct frame *in, const struct frame *out)
{
	struct seen s;

	return host && tunnel_read(out, &s) && s.tenant == tenant &&
	       s.gre == (tenant == GREEN || tenant == LARGE) && s.geneve == (tenant == VIOLET) &&
	       host_of(s.ends[0]) == 1 && host_of(s.ends[1]) == host && s.end == out->len &&
	       out->len - s.inner == in->len && !memcmp(out->b + s.inner, in->b, in->len) &&
	       source_is_own(tenant, in->b);
}

/*
 * What the gateway routes inside of the tenant, as its endpoint gets it: for its MAC, one hop on.
 * Others are as they are; false: the last hop has been.
 */
static bool routed_inside(const struct frame *in, struct frame *out)
{
	__u8 from[16], to[16], *ip = out->b + ETHER_HEADER;
	__u32 sum;

	memcpy(out, in, sizeof(*out));
	if (memcmp(in->b, mac_g, MAC_LEN))
		return true;
	if (!see_ips(in->b, from, to) || !endpoint_of(to) || endpoint_of(to) == 0xfe)
		return true;
	out->b[MAC_LEN - 1] = endpoint_of(to);
	if (get16(in->b + 12) == 0x86dd)
		return ip[7]-- > 1;
	sum = get16(ip + 10) + 0x100;
	sum += sum >> 16;
	ip[10] = sum >> 8;
	ip[11] = sum;
	return ip[8]-- > 1;
}

/* Writes A's MAC where the inner one is; sum: the checksum that goes over it. */
static void rewrite(__u8 *at, const __u8 *inner, __u8 *check)
{
	static const __u8 a[MAC_LEN] = {2, 0, 0, 0, 0, 0x0a};
	__u32 sum;

	if (memcmp(at, inner, MAC_LEN) != 0)
		return;
	for (int i = 0; check && i < MAC_LEN; i += 2) {
		sum = 0x1fffe + (~get16(check) & 0xffff) - get16(at + i) + get16(a + i);
		sum = (sum & 0xffff) + (sum >> 16);
		sum = ~((sum & 0xffff) + (sum >> 16));
		check[0] = sum >> 8;
		check[1] = sum;
	}
	memcpy(at, a, MAC_LEN);
}

/* RFC 4861 section 4: where the options of a message begin; 0: it has none. */
static size_t nd_options(__u8 type)
{
	static const __u8 begin[] = {8, 16, 24, 24, 40};

	return type >= 133 && type <= 137 ? begin[type - 133] : 0;
}

void promise_outer(const struct frame *in, struct frame *out)
{
	static const __u8 behind[][MAC_LEN + 1] = {PROMISE_INNER}, ether[6] = {0, 1, 8, 0, 6, 4};
	__u8 inner[MAC_LEN], *b = out->b;
	bool known = false;

	memcpy(out, in, sizeof(*out));
	memcpy(inner, b + MAC_LEN, MAC_LEN);
	for (size_t i = 0; i < COUNT(behind); i++)
		known = known || !memcmp(inner, behind[i], MAC_LEN);
	if (!known)
		return;
	rewrite(b + MAC_LEN, inner, NULL);
	if (get16(b + 12) == 0x0806 && in->len >= 42 && !memcmp(b + 14, ether, sizeof(ether))) {
		rewrite(b + 22, inner, NULL);
		rewrite(b + 32, inner, NULL);
	}
	if (get16(b + 12) != 0x86dd || in->len < 55 || b[20] != 58 || !nd_options(b[54]))
		return;
	for (size_t at = 54 + nd_options(b[54]), n = 0; n < 12 && at + 8 <= in->len && b[at + 1];
	     at += b[at + 1] * 8, n++)
		if (b[at] == 1 || b[at] == 2)
			rewrite(b + at + 2, inner, b + 56);
}

bool promise_from_port(__u32 tenant, __u32 old, const struct frame *in,
		       const struct packet_run *run)
{
	static const __u8 mac_a[MAC_LEN] = {2, 0, 0, 0, 0, 0x0a};
	struct frame on;

	if (run->verdict == TC_ACT_SHOT)
		return true;
	if (run->verdict != TC_ACT_REDIRECT)
		return false;
	if (packet_sealed_mark(&run->out))
		return enters(tenant, in->b, run) && source_is_own(tenant, in->b) &&
		       (!old || may_be_new(in->b)) && packet_is_same(in, &run->out);
	if (is_stamped(run, tenant, place_of(tenant, mac_a)))
		return true; /* an answer */
	if (!routed_inside(in, &on))
		return false;
	if (!run->ctx.cb[0])
		return is_sent(tenant, memcmp(on.b, mac_g, MAC_LEN) ? place_of(tenant, on.b) : old,
			       &on, &run->out);
	return is_stamped(run, tenant, place_of(tenant, on.b)) &&
	       frame_equal("local", &run->out, &on) && source_is_own(tenant, in->b);
}

/* Octets that congestion marks change: TOS and checksum of IPv4, traffic class of IPv6. */
static bool may_change(__u32 type, size_t at)
{
	if (type == 0x0800)
		return at == 15 || at == 24 || at == 25;
	return type == 0x86dd && (at == 14 || at == 15);
}

static bool inner_is_same(const struct frame *in, const struct seen *s, const struct frame *out)
{
	const __u8 *inner = in->b + s->inner;
	size_t len = s->end - s->inner, least = ETHER_HEADER + PACKET_LEAST;

	if (out->len != (len < least ? least : len))
		return false;
	for (size_t i = packet_sealed_mark(out) ? 2 * MAC_LEN : 0; i < len; i++)
		if (out->b[i] != inner[i] && !may_change(get16(inner + 12), i))
			return false;
	return true;
}

bool promise_from_wire(const struct frame *in, const struct packet_run *run)
{
	const __u8 *inner;
	struct seen s;
	__u32 host;

	if (run->verdict == TC_ACT_SHOT)
		return true;
	if (run->verdict == TC_ACT_UNSPEC)
		return frame_equal("passed", &run->out, in) && !run->ctx.mark;
	if (run->verdict != TC_ACT_REDIRECT || !tunnel_read(in, &s) || host_of(s.ends[1]) != 1)
		return false;
	inner = in->b + s.inner;
	host = host_of(s.ends[0]);
	/* All hosts serve the gateways. */
	if (host < 2 || !inner_is_same(in, &s, &run->out) ||
	    (place_of(s.tenant, inner + 6) != host && memcmp(inner + 6, mac_g, MAC_LEN)))
		return false;
	if (packet_sealed_mark(&run->out))
		return enters(s.tenant, inner, run);
	return is_stamped(run, s.tenant, place_of(s.tenant, inner));
}

/* As it came, but for the Ethernet addresses: from the gateway to who has the address. */
static bool is_let_in(const struct frame *in, const __u8 *out, size_t len)
{
	__u8 from[16], to[16];

	/* A link-local address is its owner's without being listed. */
	if (!see_ips(in->b, from, to) ||
	    (endpoint_of(to) != out[MAC_LEN - 1] && (to[0] != 0xfe || to[15] != out[MAC_LEN - 1])))
		return false;
	return len == in->len && !memcmp(out + MAC_LEN, mac_g, MAC_LEN) &&
	       !memcmp(out + 2 * MAC_LEN, in->b + 2 * MAC_LEN, len - 2 * MAC_LEN);
}

/* Told that it is too big: an ICMP error to who sent it, by the way it came. */
static bool is_told_back(const struct frame *in, const struct frame *out)
{
	__u8 from[16], to[16], back[2][16];

	return see_ips(in->b, from, to) && see_ips(out->b, back[0], back[1]) &&
	       !memcmp(from, back[1], sizeof(from)) && !memcmp(to, back[0], sizeof(to)) &&
	       out->len ==
		       (get16(out->b + 12) == 0x0800 ? ETHER_HEADER + 576 : ETHER_HEADER + 1280);
}

bool promise_from_gateway(__u32 tenant, const struct frame *in, const struct packet_run *run)
{
	struct seen s;

	if (run->verdict == TC_ACT_SHOT)
		return true;
	if (run->verdict != TC_ACT_REDIRECT)
		return false;
	if (packet_sealed_mark(&run->out))
		return packet_sealed_mark(&run->out) == (0x74500001U + lab_slot(tenant)) &&
		       !run->ctx.mark && is_told_back(in, &run->out);
	if (run->ctx.cb[0])
		return is_stamped(run, tenant, place_of(tenant, run->out.b)) &&
		       is_let_in(in, run->out.b, run->out.len);
	return tunnel_read(&run->out, &s) && s.tenant == tenant && host_of(s.ends[0]) == 1 &&
	       host_of(s.ends[1]) == place_of(tenant, run->out.b + s.inner) &&
	       s.end == run->out.len && is_let_in(in, run->out.b + s.inner, s.end - s.inner);
}

/* Has it been decapsulated, and is told what its outer header said? */
static bool is_told(const struct frame *in, const struct packet_run *run)
{
	static const __u8 nobody[MAC_LEN] = {0x02, 0x74, 0x73, 0x77, 0x00, 0x00};
	const __u8 *inner;
	struct seen s;
	struct {
		__u32 secret[2], tenant, host;
		__u8 dst[MAC_LEN], tos, pad;
	} meta = {{(__u32)SECRET, SECRET >> 32}, 0, 0, {0}, 0, 0};

	if (!tunnel_read(in, &s) || host_of(s.ends[1]) != 1 || lab_slot(s.tenant) == TENANTS)
		return false;
	inner = in->b + s.inner;
	meta.tenant = s.tenant;
	meta.host = host_of(s.ends[0]);
	meta.tos = s.tos;
	memcpy(meta.dst, inner, MAC_LEN);
	return meta.host > 1 && s.end == in->len && run->out.len == s.end - s.inner &&
	       run->meta_len == sizeof(meta) && !memcmp(run->meta, &meta, sizeof(meta)) &&
	       !memcmp(run->out.b, nobody, MAC_LEN) &&
	       !memcmp(run->out.b + MAC_LEN, inner + MAC_LEN, run->out.len - MAC_LEN);
}

bool promise_xdp(const struct frame *in, const struct packet_run *run)
{
	if (run->verdict == XDP_DROP)
		return true;
	if (run->verdict != XDP_PASS)
		return false;
	return run->meta_len ? is_told(in, run) : frame_equal("passed", &run->out, in);
}
