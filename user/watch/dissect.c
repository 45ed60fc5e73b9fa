// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "watch/dissect.h"

enum { IPV6_OPTIONS = 8, GRE_KEY = 0x2000, UDP_LEN = 8, VXLAN_LEN = 8, GENEVE_LEN = 8 };
enum { VLAN_LEN = 4, SNAP_LEN = 8 };

/* The octets that are not read yet. */
struct cursor {
	const __u8 *at;
	size_t left;
};

/* The next N octets. NULL: the frame is cut off before. */
static const __u8 *take(struct cursor *c, size_t n)
{
	const __u8 *at = c->at;

	if (c->left < n)
		return NULL;
	c->at += n;
	c->left -= n;
	return at;
}

static __u16 get16(const __u8 *at)
{
	return (__u16)(at[0] << 8 | at[1]);
}

static void read_ports(struct cursor *c, struct layers *l)
{
	if (l->proto != IPPROTO_TCP && l->proto != IPPROTO_UDP && l->proto != IPPROTO_SCTP)
		return;
	if (c->left < 4)
		return;
	l->ports = true;
	l->sport = get16(c->at);
	l->dport = get16(c->at + 2);
}

static struct tsw_addr v4(const __u8 *at)
{
	__be32 addr;

	memcpy(&addr, at, sizeof(addr));
	return addr_from_v4(addr);
}

static void read_arp(struct cursor *c, struct layers *l)
{
	const __u8 *arp = take(c, 28);

	if (!arp)
		return;
	l->ip = true;
	l->from = v4(arp + 14);
	l->to = v4(arp + 24);
}

static void read_ipv4(struct cursor *c, struct layers *l)
{
	const __u8 *ip = take(c, 20);

	if (!ip || ip[0] >> 4 != 4)
		return;
	l->ip = l->has_proto = true;
	l->proto = ip[9];
	l->from = v4(ip + 12);
	l->to = v4(ip + 16);
	/* Only the first fragment has ports. */
	if ((ip[0] & 15) >= 5 && !(get16(ip + 6) & 0x1fff) && take(c, (ip[0] & 15U) * 4 - 20))
		read_ports(c, l);
	else
		c->left = 0;
}

static bool is_extension(__u8 next)
{
	return next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING || next == IPPROTO_DSTOPTS ||
	       next == IPPROTO_FRAGMENT;
}

static void read_ipv6(struct cursor *c, struct layers *l)
{
	const __u8 *ip = take(c, 40), *option;
	int i;

	if (!ip || ip[0] >> 4 != 6)
		return;
	l->ip = l->has_proto = true;
	l->proto = ip[6];
	memcpy(&l->from, ip + 8, sizeof(l->from));
	memcpy(&l->to, ip + 24, sizeof(l->to));
	for (i = 0; i < IPV6_OPTIONS && is_extension(l->proto); i++) {
		bool fragment = l->proto == IPPROTO_FRAGMENT;

		option = take(c, 8);
		if (!option)
			return;
		l->proto = option[0];
		if (fragment ? get16(option + 2) >> 3 : !take(c, option[1] * 8U)) {
			c->left = 0;
			return;
		}
	}
	read_ports(c, l);
}

/*
 * Enters a VLAN tag or, after a length, a SNAP header of RFC 1042 or IEEE 802.1H, and sets l->type
 * to the type behind it. False: there is no such header.
 */
static bool enter_next(struct cursor *c, struct layers *l)
{
	static const __u8 snap[] = {0xaa, 0xaa, 0x03, 0, 0};
	const __u8 *at;

	if (l->type == ETH_P_8021Q || l->type == ETH_P_8021AD)
		at = take(c, VLAN_LEN);
	else if (l->type < ETH_P_802_3_MIN && c->left >= SNAP_LEN &&
		 !memcmp(c->at, snap, sizeof(snap)) && (!c->at[5] || c->at[5] == 0xf8))
		at = take(c, SNAP_LEN);
	else
		return false;
	if (at)
		l->type = get16(c->at - 2);
	return at;
}

/* Reads up to the end of the IP header. */
static void read_layers(struct cursor *c, struct layers *l)
{
	const __u8 *eth = take(c, ETH_HLEN);

	if (!eth)
		return;
	l->eth = true;
	memcpy(&l->dst, eth, TSW_MAC_LEN);
	memcpy(&l->src, eth + TSW_MAC_LEN, TSW_MAC_LEN);
	l->type = get16(eth + 12);
	while (enter_next(c, l))
		;
	if (l->type == ETH_P_ARP)
		read_arp(c, l);
	else if (l->type == ETH_P_IP)
		read_ipv4(c, l);
	else if (l->type == ETH_P_IPV6)
		read_ipv6(c, l);
}

static bool is_local(const struct tsw_config *config, const struct tsw_addr *addr)
{
	return addr_equal(addr, &config->local[TSW_IPV4]) ||
	       addr_equal(addr, &config->local[TSW_IPV6]);
}

/* RFC 8926 section 3.4: the options' length is in words of four octets. */
static bool enter_geneve(struct cursor *c)
{
	const __u8 *geneve = take(c, UDP_LEN + GENEVE_LEN);

	if (!geneve || get16(geneve + UDP_LEN + 2) != ETH_P_TEB)
		return false;
	return take(c, (geneve[UDP_LEN] & 0x3fU) * 4);
}

static bool enter_udp(struct cursor *c, const struct layers *l, const struct tsw_config *config)
{
	if (l->ports && l->dport == ntohs(config->port))
		return take(c, UDP_LEN + VXLAN_LEN);
	return l->ports && l->dport == TSW_GENEVE_PORT && enter_geneve(c);
}

/* Moves C from the end of the outer IP header past the tunnel's header. False: not a tunnel. */
static bool enter(struct cursor *c, const struct layers *l, const struct tsw_config *config)
{
	const __u8 *gre;

	if (!l->ip || (!is_local(config, &l->from) && !is_local(config, &l->to)))
		return false;
	if (l->proto == IPPROTO_UDP)
		return enter_udp(c, l, config);
	if (l->proto != IPPROTO_GRE)
		return false;
	gre = take(c, 4);
	if (!gre || !(get16(gre) & GRE_KEY) || get16(gre + 2) != ETH_P_TEB)
		return false;
	return take(c, (get16(gre) & 0x8000 ? 4 : 0) + 4); /* checksum; key */
}

void dissect(const __u8 *frame, size_t len, const struct tsw_config *config, bool tunnel,
	     struct dissected *d)
{
	struct cursor c = {frame, len};

	memset(d, 0, sizeof(*d));
	read_layers(&c, &d->of);
	if (!tunnel || !enter(&c, &d->of, config))
		return;
	d->outer = true;
	d->way = d->of;
	memset(&d->of, 0, sizeof(d->of));
	read_layers(&c, &d->of);
}

const char *ip_proto_text(__u8 proto)
{
	static _Thread_local char number[8];

	switch (proto) {
	case IPPROTO_ICMP:
		return "icmp";
	case IPPROTO_ICMPV6:
		return "icmpv6";
	case IPPROTO_IGMP:
		return "igmp";
	case IPPROTO_TCP:
		return "tcp";
	case IPPROTO_UDP:
		return "udp";
	case IPPROTO_SCTP:
		return "sctp";
	case IPPROTO_GRE:
		return "gre";
	case IPPROTO_ESP:
		return "esp";
	}
	snprintf(number, sizeof(number), "%u", proto);
	return number;
}

const char *ethertype_text(__u16 type)
{
	static _Thread_local char number[8];

	switch (type) {
	case ETH_P_IP:
		return "ipv4";
	case ETH_P_IPV6:
		return "ipv6";
	case ETH_P_ARP:
		return "arp";
	}
	snprintf(number, sizeof(number), "0x%04x", type);
	return number;
}
