// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <net/ethernet.h>
#include <net/if_arp.h>
#include <netinet/icmp6.h>
#include <netinet/if_ether.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <string.h>

#include "base/checksum.h"
#include "base/text.h"
#include "trace/frame.h"

enum {
	TTL = 64,
	ND_TTL = 255, /* RFC 4861 section 7.1.1 */
	ECHO_OCTETS = 56,
	WINDOW = 64240,
	RAW_OCTETS = 46,   /* the shortest that Ethernet has */
	RAW_TYPE = 0x88b5, /* IEEE 802 local experimental */
	GRE_KEY = 0x2000,  /* RFC 2890 */
	ETHERNET = 0x6558,
	VXLAN_VALID = 0x08, /* RFC 7348 section 5 */
};

/* RFC 2131, RFC 8415: the request of a client without a lease. */
enum {
	DHCP_SERVER_PORT = 67,
	DHCP6_SERVER_PORT = 547,
	DHCP_XID = 7450,
	DHCP_COOKIE = 0x63825363,
	DHCP6_SOLICIT = 1,
	DNS_PORT = 53,
};

struct dhcp_discover {
	__u8 op, hw_type, hw_len, hops;
	__be32 xid;
	__be16 secs, flags;
	__be32 ciaddr, yiaddr, siaddr, giaddr;
	struct tsw_mac mac;
	__u8 mac_rest[10], sname[64], file[128];
	__be32 cookie;
	__u8 type[3], end;
} __attribute__((packed, aligned(2)));

struct dhcp6_solicit {
	__be32 head; /* type and transaction */
	__be16 client, client_len, duid_type, hw_type;
	struct tsw_mac mac;
	__be16 ia, ia_len;
	__be32 ia_id, renew, rebind;
} __attribute__((packed, aligned(2)));

/* RFC 1035 section 4.1: a query for the root, whose name is one octet. */
struct dns_query {
	__be16 id, flags, questions, counts[3];
	__u8 root;
	__be16 type, class;
} __attribute__((packed));

struct vxlan {
	__u8 flags, reserved[3];
	__be32 vni;
};

struct gre {
	__be16 flags, proto;
	__be32 key;
};

struct geneve {
	__be16 flags, proto;
	__be32 vni;
};

bool trace_is_ip(const struct trace_frame *f)
{
	return f->proto != TRACE_ARP && f->proto != TRACE_RAW;
}

bool trace_is_group(const struct tsw_mac *mac)
{
	return mac->b[0] & 1;
}

static bool is_v6(const struct trace_frame *f)
{
	return !addr_is_v4(&f->dip);
}

bool trace_asks_dhcp(const struct trace_frame *f)
{
	return f->proto == TRACE_UDP &&
	       f->dport == (is_v6(f) ? DHCP6_SERVER_PORT : DHCP_SERVER_PORT);
}

bool trace_asks_dns(const struct trace_frame *f)
{
	return (f->proto == TRACE_UDP || f->proto == TRACE_TCP) && f->dport == DNS_PORT;
}

static __u32 dhcp_octets(const struct trace_frame *f)
{
	return is_v6(f) ? sizeof(struct dhcp6_solicit) : sizeof(struct dhcp_discover);
}

static __u32 l3_headers(const struct trace_frame *f)
{
	return is_v6(f) ? sizeof(struct ip6_hdr) : sizeof(struct ip);
}

__u32 trace_frame_least(const struct trace_frame *f)
{
	switch (f->proto) {
	case TRACE_TCP:
		return l3_headers(f) + sizeof(struct tcphdr);
	case TRACE_UDP:
		return l3_headers(f) + sizeof(struct udphdr) +
		       (trace_asks_dhcp(f)  ? dhcp_octets(f)
			: trace_asks_dns(f) ? sizeof(struct dns_query)
					    : 0);
	case TRACE_ICMP:
		return l3_headers(f) + sizeof(struct icmphdr);
	case TRACE_ND:
		return sizeof(struct ip6_hdr) + sizeof(struct nd_neighbor_solicit) + 8;
	case TRACE_ARP:
		return sizeof(struct ether_arp);
	case TRACE_RAW:
		break;
	}
	return RAW_OCTETS;
}

__u32 trace_frame_usual(const struct trace_frame *f)
{
	bool more = f->proto == TRACE_ICMP || (f->proto == TRACE_UDP && !trace_asks_dhcp(f));

	return trace_frame_least(f) + (more ? ECHO_OCTETS : 0);
}

/* With the pseudo-header of the frame's own IP version: RFC 9293, RFC 768, RFC 8200 8.1. */
static __be16 l4_checksum(const struct trace_frame *f, const void *l4, __u32 len, __u8 proto)
{
	const __u32 size = is_v6(f) ? sizeof(struct tsw_addr) : sizeof(__be32);
	const __u32 at = sizeof(struct tsw_addr) - size; /* a mapped address ends in the IPv4 one */
	__u32 sum = checksum_add((const char *)&f->sip + at, size, len + proto);

	sum = checksum_add((const char *)&f->dip + at, size, sum);
	return htons(checksum(l4, len, sum));
}

static void put_tcp(const struct trace_frame *f, void *l4, __u32 len)
{
	struct tcphdr *tcp = l4;

	*tcp = (struct tcphdr){.source = htons(f->sport),
			       .dest = htons(f->dport),
			       .doff = sizeof(*tcp) / 4,
			       .syn = 1,
			       .window = htons(WINDOW)};
	tcp->check = l4_checksum(f, l4, len, IPPROTO_TCP);
}

static void put_dhcp(const struct trace_frame *f, void *message)
{
	if (is_v6(f))
		*(struct dhcp6_solicit *)message =
			(struct dhcp6_solicit){.head = htonl(DHCP6_SOLICIT << 24 | DHCP_XID),
					       .client = htons(1),
					       .client_len = htons(4 + sizeof(f->src)),
					       .duid_type = htons(3),
					       .hw_type = htons(ARPHRD_ETHER),
					       .mac = f->src,
					       .ia = htons(3),
					       .ia_len = htons(12)};
	else
		*(struct dhcp_discover *)message =
			(struct dhcp_discover){.op = 1,
					       .hw_type = ARPHRD_ETHER,
					       .hw_len = sizeof(f->src),
					       .xid = htonl(DHCP_XID),
					       .mac = f->src,
					       .cookie = htonl(DHCP_COOKIE),
					       .type = {53, 1, 1},
					       .end = 255};
}

static void put_udp(const struct trace_frame *f, void *l4, __u32 len)
{
	struct udphdr *udp = l4;

	if (trace_asks_dhcp(f)) {
		len = sizeof(*udp) + dhcp_octets(f); /* a longer packet is padded behind it */
		put_dhcp(f, udp + 1);
	}
	if (trace_asks_dns(f))
		*(struct dns_query *)(void *)(udp + 1) = (struct dns_query){
			.questions = htons(1), .type = htons(1), .class = htons(1)};
	*udp = (struct udphdr){
		.source = htons(f->sport), .dest = htons(f->dport), .len = htons((__u16)len)};
	udp->check = l4_checksum(f, l4, len, IPPROTO_UDP);
	if (!udp->check)
		udp->check = 0xffff;
}

static void put_echo(const struct trace_frame *f, void *l4, __u32 len)
{
	struct icmphdr *icmp = l4; /* ICMPv6 has its fields at the same places: RFC 4443 4.1 */

	*icmp = (struct icmphdr){.type = is_v6(f) ? ICMP6_ECHO_REQUEST : ICMP_ECHO,
				 .un.echo = {.id = htons(TRACE_ECHO_ID), .sequence = htons(1)}};
	icmp->checksum =
		is_v6(f) ? l4_checksum(f, l4, len, IPPROTO_ICMPV6) : htons(checksum(l4, len, 0));
}

static void put_solicit(const struct trace_frame *f, void *l4, __u32 len)
{
	struct nd_neighbor_solicit *nd = l4;
	struct nd_opt_hdr *option = (void *)(nd + 1);

	*nd = (struct nd_neighbor_solicit){.nd_ns_hdr.icmp6_type = ND_NEIGHBOR_SOLICIT};
	memcpy(&nd->nd_ns_target, &f->dip, sizeof(f->dip));
	*option = (struct nd_opt_hdr){.nd_opt_type = ND_OPT_SOURCE_LINKADDR, .nd_opt_len = 1};
	memcpy(option + 1, &f->src, sizeof(f->src));
	nd->nd_ns_hdr.icmp6_cksum = l4_checksum(f, l4, len, IPPROTO_ICMPV6);
}

static __u8 ip_proto(const struct trace_frame *f)
{
	if (f->proto == TRACE_TCP)
		return IPPROTO_TCP;
	if (f->proto == TRACE_UDP)
		return IPPROTO_UDP;
	return is_v6(f) ? IPPROTO_ICMPV6 : IPPROTO_ICMP;
}

/* Writes an IP header with the addresses and the other values of O; LEN octets with its payload. */
static void put_ip(void *l3, const struct trace_outer *o, __u8 proto, __u32 len)
{
	struct ip6_hdr *v6 = l3;
	struct ip *v4 = l3;

	if (o->family == TSW_IPV6) {
		v6->ip6_flow = htonl(6U << 28 | (__u32)o->tos << 20 | o->label);
		v6->ip6_plen = htons((__u16)(len - sizeof(*v6)));
		v6->ip6_nxt = proto;
		v6->ip6_hlim = o->ttl;
		memcpy(&v6->ip6_src, &o->src, sizeof(o->src));
		memcpy(&v6->ip6_dst, &o->dst, sizeof(o->dst));
		return;
	}
	*v4 = (struct ip){.ip_v = 4,
			  .ip_hl = sizeof(*v4) / 4,
			  .ip_tos = o->tos,
			  .ip_len = htons((__u16)len),
			  .ip_off = htons(o->df ? IP_DF : 0),
			  .ip_ttl = o->ttl,
			  .ip_p = proto,
			  .ip_src.s_addr = o->src.w[3],
			  .ip_dst.s_addr = o->dst.w[3]};
	v4->ip_sum = htons(checksum(v4, sizeof(*v4), 0));
}

static void put_arp(const struct trace_frame *f, void *l3)
{
	struct ether_arp *arp = l3;

	arp->arp_hrd = htons(ARPHRD_ETHER);
	arp->arp_pro = htons(ETHERTYPE_IP);
	arp->arp_hln = sizeof(arp->arp_sha);
	arp->arp_pln = sizeof(arp->arp_spa);
	arp->arp_op = htons(ARPOP_REQUEST);
	memcpy(arp->arp_sha, &f->src, sizeof(arp->arp_sha));
	memcpy(arp->arp_spa, &f->sip.w[3], sizeof(arp->arp_spa));
	memcpy(arp->arp_tpa, &f->dip.w[3], sizeof(arp->arp_tpa));
}

static __u16 ethertype(const struct trace_frame *f)
{
	if (f->proto == TRACE_ARP)
		return ETHERTYPE_ARP;
	if (f->proto == TRACE_RAW)
		return RAW_TYPE;
	return is_v6(f) ? ETHERTYPE_IPV6 : ETHERTYPE_IP;
}

static void put_ethernet(__u8 *at, const struct tsw_mac *dst, const struct tsw_mac *src, __u16 type)
{
	struct ether_header *eth = (void *)at;

	memcpy(eth->ether_dhost, dst, sizeof(*dst));
	memcpy(eth->ether_shost, src, sizeof(*src));
	eth->ether_type = htons(type);
}

void trace_frame_build(struct trace_frame *f)
{
	static void (*const put[])(const struct trace_frame *f, void *l4, __u32 len) = {
		[TRACE_TCP] = put_tcp,
		[TRACE_UDP] = put_udp,
		[TRACE_ICMP] = put_echo,
		[TRACE_ND] = put_solicit,
	};
	const struct trace_outer ip = {.family = is_v6(f) ? TSW_IPV6 : TSW_IPV4,
				       .src = f->sip,
				       .dst = f->dip,
				       .ttl = f->proto == TRACE_ND ? ND_TTL : TTL,
				       .df = true};
	__u8 *l3 = f->octets + ETH_HLEN;

	f->len = ETH_HLEN + f->l3_len;
	memset(f->octets, 0, f->len);
	put_ethernet(f->octets, &f->dst, &f->src, ethertype(f));
	if (f->proto == TRACE_ARP)
		put_arp(f, l3);
	if (!trace_is_ip(f))
		return;
	put_ip(l3, &ip, ip_proto(f), f->l3_len);
	put[f->proto](f, l3 + l3_headers(f), f->l3_len - l3_headers(f));
}

static void wrap_tunnel(__u8 *at, const struct trace_outer *o, __u32 len)
{
	struct udphdr *udp = (void *)at;
	struct geneve *geneve = (void *)(udp + 1);
	struct vxlan *vxlan = (void *)(udp + 1);

	if (o->encap == TSW_ENCAP_GRE) {
		*(struct gre *)at = (struct gre){
			.flags = htons(GRE_KEY), .proto = htons(ETHERNET), .key = htonl(o->id)};
		return;
	}
	*udp = (struct udphdr){
		.source = htons(o->sport), .dest = htons(o->dport), .len = htons((__u16)len)};
	if (o->encap == TSW_ENCAP_GENEVE)
		*geneve = (struct geneve){.proto = htons(ETHERNET), .vni = htonl(o->id << 8)};
	else
		*vxlan = (struct vxlan){.flags = VXLAN_VALID, .vni = htonl(o->id << 8)};
}

void trace_frame_wrap(struct trace_frame *f, const struct trace_outer *o, const struct tsw_mac *dst,
		      const struct tsw_mac *src)
{
	const __u32 ip = o->family == TSW_IPV6 ? sizeof(struct ip6_hdr) : sizeof(struct ip);
	const __u32 more = TSW_OVERHEAD(o->encap, o->family);

	memmove(f->octets + more, f->octets, f->len);
	memset(f->octets, 0, more);
	f->len += more;
	put_ethernet(f->octets, dst, src, o->family == TSW_IPV6 ? ETHERTYPE_IPV6 : ETHERTYPE_IP);
	put_ip(f->octets + ETH_HLEN, o, o->encap == TSW_ENCAP_GRE ? IPPROTO_GRE : IPPROTO_UDP,
	       f->len - ETH_HLEN);
	wrap_tunnel(f->octets + ETH_HLEN + ip, o, f->len - ETH_HLEN - ip);
}

/* The length of the IP header; 0: not one that the switch writes. */
static __u32 read_ip(const __u8 *at, __u16 type, struct trace_outer *o, __u8 *proto)
{
	const struct ip6_hdr *v6 = (const void *)at;
	const struct ip *v4 = (const void *)at;

	if (type == ETHERTYPE_IPV6) {
		*proto = v6->ip6_nxt;
		o->family = TSW_IPV6;
		o->tos = (__u8)(ntohl(v6->ip6_flow) >> 20);
		o->label = ntohl(v6->ip6_flow) & 0xfffff;
		o->ttl = v6->ip6_hlim;
		memcpy(&o->src, &v6->ip6_src, sizeof(o->src));
		memcpy(&o->dst, &v6->ip6_dst, sizeof(o->dst));
		return sizeof(*v6);
	}
	if (type != ETHERTYPE_IP || v4->ip_hl != sizeof(*v4) / 4)
		return 0;
	*proto = v4->ip_p;
	o->family = TSW_IPV4;
	o->tos = v4->ip_tos;
	o->ttl = v4->ip_ttl;
	o->df = v4->ip_off & htons(IP_DF);
	o->src = addr_from_v4(v4->ip_src.s_addr);
	o->dst = addr_from_v4(v4->ip_dst.s_addr);
	return sizeof(*v4);
}

/* The port tells VXLAN from Geneve: no switch uses Geneve's for VXLAN. */
static enum tsw_encap read_encap(__u8 proto, const struct udphdr *udp)
{
	if (proto == IPPROTO_GRE)
		return TSW_ENCAP_GRE;
	return udp->dest == htons(TSW_GENEVE_PORT) ? TSW_ENCAP_GENEVE : TSW_ENCAP_VXLAN;
}

bool trace_outer_read(const __u8 *octets, __u32 len, struct trace_outer *o)
{
	const struct ether_header *eth = (const void *)octets;
	const struct geneve *geneve;
	const struct gre *gre;
	const struct udphdr *udp;
	__u8 proto = 0;
	__u32 ip;

	*o = (struct trace_outer){};
	if (len < TSW_OVERHEAD(TSW_ENCAP_VXLAN, TSW_IPV6))
		return false;
	ip = read_ip(octets + ETH_HLEN, ntohs(eth->ether_type), o, &proto);
	gre = (const void *)(octets + ETH_HLEN + ip);
	udp = (const void *)gre;
	if (!ip || (proto != IPPROTO_GRE && proto != IPPROTO_UDP))
		return false;
	o->encap = read_encap(proto, udp);
	o->len = TSW_OVERHEAD(o->encap, o->family);
	o->there = true;
	if (proto == IPPROTO_GRE) {
		o->id = ntohl(gre->key);
		return gre->flags == htons(GRE_KEY) && gre->proto == htons(ETHERNET);
	}
	o->sport = ntohs(udp->source);
	o->dport = ntohs(udp->dest);
	/* VXLAN has its id at the same place. */
	geneve = (const void *)(udp + 1);
	o->id = ntohl(geneve->vni) >> 8;
	return o->encap != TSW_ENCAP_GENEVE || (!geneve->flags && geneve->proto == htons(ETHERNET));
}
