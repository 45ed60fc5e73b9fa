// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <net/ethernet.h>
#include <net/if_arp.h>
#include <netinet/icmp6.h>
#include <netinet/if_ether.h>
#include <netinet/ip6.h>
#include <netpacket/packet.h>
#include <string.h>
#include <sys/socket.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "kernel/announce.h"

enum { HOP_LIMIT = 255 };

struct arp_frame {
	struct ether_header eth;
	struct ether_arp arp;
} __attribute__((packed, aligned(2)));

struct nd_frame {
	struct ether_header eth;
	struct ip6_hdr ip;
	struct nd_neighbor_advert nd;
	struct nd_opt_hdr option;
	struct tsw_mac mac;
} __attribute__((packed, aligned(2)));

static int send_frame(__u32 ifindex, const void *frame, size_t len)
{
	const struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = (int)ifindex};
	cleanup_close int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0 || sendto(fd, frame, len, MSG_DONTWAIT, (const void *)&to, sizeof(to)) < 0)
		return -errno;
	return 0;
}

/* Sends a request, because more neighbours update their entry for a request than for a reply. */
static int announce_v4(__u32 ifindex, const struct tsw_mac *mac, const struct tsw_addr *addr)
{
	struct arp_frame f = {.eth.ether_type = htons(ETHERTYPE_ARP),
			      .arp.ea_hdr = {.ar_hrd = htons(ARPHRD_ETHER),
					     .ar_pro = htons(ETHERTYPE_IP),
					     .ar_hln = sizeof(*mac),
					     .ar_pln = sizeof(__be32),
					     .ar_op = htons(ARPOP_REQUEST)}};

	memset(f.eth.ether_dhost, 0xff, sizeof(f.eth.ether_dhost));
	memcpy(f.eth.ether_shost, mac, sizeof(*mac));
	memcpy(f.arp.arp_sha, mac, sizeof(*mac));
	memcpy(f.arp.arp_spa, &addr->w[3], sizeof(__be32));
	memcpy(f.arp.arp_tpa, &addr->w[3], sizeof(__be32));
	return send_frame(ifindex, &f, sizeof(f));
}

static int announce_v6(__u32 ifindex, const struct tsw_mac *mac, const struct tsw_addr *addr)
{
	static const __u8 all_nodes_mac[] = {0x33, 0x33, 0, 0, 0, 1};
	const __u16 len = sizeof(struct nd_frame) - offsetof(struct nd_frame, nd);
	struct nd_frame f = {
		.eth.ether_type = htons(ETHERTYPE_IPV6),
		.ip = {.ip6_flow = htonl(6U << 28),
		       .ip6_plen = htons(len),
		       .ip6_nxt = IPPROTO_ICMPV6,
		       .ip6_hlim = HOP_LIMIT},
		.nd = {.nd_na_type = ND_NEIGHBOR_ADVERT,
		       .nd_na_flags_reserved = ND_NA_FLAG_OVERRIDE},
		.option = {.nd_opt_type = ND_OPT_TARGET_LINKADDR, .nd_opt_len = 1},
		.mac = *mac,
	};

	memcpy(f.eth.ether_dhost, all_nodes_mac, sizeof(all_nodes_mac));
	memcpy(f.eth.ether_shost, mac, sizeof(*mac));
	memcpy(&f.ip.ip6_src, addr, sizeof(*addr));
	inet_pton(AF_INET6, "ff02::1", &f.ip.ip6_dst);
	memcpy(&f.nd.nd_na_target, addr, sizeof(*addr));
	f.nd.nd_na_cksum = htons(checksum(&f.nd, len,
					  checksum_add(&f.ip.ip6_src, 2 * sizeof(f.ip.ip6_src),
						       IPPROTO_ICMPV6 + len)));
	return send_frame(ifindex, &f, sizeof(f));
}

int announce(__u32 ifindex, const struct tsw_mac *mac, const struct tsw_addr *addr)
{
	return addr_is_v4(addr) ? announce_v4(ifindex, mac, addr) : announce_v6(ifindex, mac, addr);
}
