// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <net/ethernet.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tsw/places.h>

#include "agent/ask.h"
#include "base/checksum.h"
#include "base/err.h"
#include "kernel/sockets.h"

#ifndef UDP_NO_CHECK6_TX
#define UDP_NO_CHECK6_TX 101 /* linux/udp.h's, which does not go with netinet/udp.h */
#endif

enum {
	TTL = 255,
	SPORT = 49152, /* RFC 5881 section 4: from here on */
	MULTIPLIER = 3,
	GRE_KEY = 0x2000, /* RFC 2890 */
	ETHERNET = 0x6558,
	VXLAN_VALID = 0x08,	 /* RFC 7348 section 5 */
	GENEVE_CONTROL = 0x0080, /* RFC 9521: for the tunnel's end itself */
};

struct probe {
	struct udphdr udp;
	struct tsw_bfd bfd;
};

/* Behind the outer IP header, and UDP's; all tunnel headers have 8 octets, and id 0. */
struct question {
	__be16 tunnel[4];
	struct ether_header eth;
	union {
		struct {
			struct iphdr ip;
			struct probe probe;
		} v4;
		struct {
			struct ip6_hdr ip;
			struct probe probe;
		} v6;
	};
} __attribute__((packed));

/* ---- sockets ------------------------------------------------------------------------ */

/* The program at the underlay takes the answers, so the socket drops whatever it receives. */
static int set_options(int fd, enum tsw_encap encap, enum tsw_family family, __u32 priority)
{
	struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
	const struct sock_fprog filter = {.len = 1, .filter = &nothing};
	const int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) ||
	    setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)))
		return -1;
	if (encap == TSW_ENCAP_GRE)
		return 0;
	return family == TSW_IPV4 ? setsockopt(fd, SOL_SOCKET, SO_NO_CHECK, &on, sizeof(on))
				  : setsockopt(fd, IPPROTO_UDP, UDP_NO_CHECK6_TX, &on, sizeof(on));
}

__u32 ask_priority(const struct tsw_config *config)
{
	struct tsw_hash_input in;

	tsw_ask_input(&in);
	return TSW_ASK_PRIORITY(tsw_siphash(config->secret, config->pass, &in));
}

static int open_one(enum tsw_encap encap, enum tsw_family family, const struct tsw_config *config)
{
	const int domain = family == TSW_IPV4 ? AF_INET : AF_INET6;
	const bool gre = encap == TSW_ENCAP_GRE;
	const int fd = socket(domain, (gre ? SOCK_RAW : SOCK_DGRAM) | SOCK_CLOEXEC | SOCK_NONBLOCK,
			      gre ? IPPROTO_GRE : IPPROTO_UDP);
	struct sockaddr_storage at;
	const socklen_t len = socket_address(family, &config->local[family], 0, &at);
	int err;

	if (fd >= 0 && !set_options(fd, encap, family, ask_priority(config)) &&
	    !bind(fd, (void *)&at, len))
		return fd;
	err = fail(errno, "cannot ask hosts whether they are alive: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

static bool is_none(const struct tsw_addr *a)
{
	return !(a->w[0] | a->w[1] | a->w[2] | a->w[3]);
}

int asker_open(struct asker *a, const struct tsw_config *config, __u32 interval_ms)
{
	int encap, family, fd;

	*a = (struct asker)ASKER_CLOSED;
	a->port = config->port;
	a->interval_us = interval_ms * 1000;
	memcpy(a->local, config->local, sizeof(a->local));
	for (family = 0; family < TSW_FAMILIES; family++) {
		for (encap = 0; encap < TSW_ENCAPS && !is_none(&config->local[family]); encap++) {
			fd = open_one(encap, family, config);
			if (fd < 0) {
				asker_close(a);
				return fd;
			}
			a->fd[encap][family] = fd;
		}
	}
	return 0;
}

void asker_close(struct asker *a)
{
	int encap, family;

	for (encap = 0; encap < TSW_ENCAPS; encap++) {
		for (family = 0; family < TSW_FAMILIES; family++) {
			if (a->fd[encap][family] >= 0)
				close(a->fd[encap][family]);
			a->fd[encap][family] = -1;
		}
	}
}

void asker_keep_whole(const struct asker *a)
{
	const int v4 = IP_PMTUDISC_PROBE, v6 = IPV6_PMTUDISC_PROBE;
	int encap;

	for (encap = 0; encap < TSW_ENCAPS; encap++) {
		if (a->fd[encap][TSW_IPV4] >= 0)
			setsockopt(a->fd[encap][TSW_IPV4], IPPROTO_IP, IP_MTU_DISCOVER, &v4,
				   sizeof(v4));
		if (a->fd[encap][TSW_IPV6] >= 0)
			setsockopt(a->fd[encap][TSW_IPV6], IPPROTO_IPV6, IPV6_MTU_DISCOVER, &v6,
				   sizeof(v6));
	}
}

/* ---- the question ------------------------------------------------------------------- */

/* Computed as the other host's program computes its own. */
static __be32 discriminator(const struct asked *who)
{
	const __be32 *w = who->addr.w;

	if (who->family == TSW_IPV4)
		return w[3];
	return (w[0] ^ w[1] ^ w[2] ^ w[3]) ?: htonl(1);
}

static struct probe probe_for(const struct asker *a, const struct asked *who)
{
	return (struct probe){
		.udp = {.source = htons(SPORT),
			.dest = htons(TSW_SBFD_PORT),
			.len = htons(sizeof(struct probe))},
		.bfd = {.version = TSW_BFD_VERSION,
			.flags = TSW_BFD_DOWN | TSW_BFD_DEMAND,
			.multiplier = MULTIPLIER,
			.length = TSW_BFD_LENGTH,
			.mine = who->mine,
			.yours = discriminator(who),
			.min_tx = htonl(a->interval_us)},
	};
}

static void write_v4(struct question *q, const struct asker *a, const struct asked *who)
{
	q->eth.ether_type = htons(ETHERTYPE_IP);
	q->v4.ip = (struct iphdr){.version = 4,
				  .ihl = 5,
				  .tot_len = htons(sizeof(q->v4)),
				  .ttl = TTL,
				  .protocol = IPPROTO_UDP,
				  .saddr = a->local[TSW_IPV4].w[3],
				  .daddr = htonl(INADDR_LOOPBACK)};
	q->v4.ip.check = htons(checksum(&q->v4.ip, sizeof(q->v4.ip), 0));
	q->v4.probe = probe_for(a, who);
}

static void write_v6(struct question *q, const struct asker *a, const struct asked *who)
{
	const struct tsw_addr to = {.w = {0, 0, htonl(TSW_V4MAPPED), htonl(INADDR_LOOPBACK)}};
	__u32 so_far = IPPROTO_UDP + sizeof(q->v6.probe);

	q->eth.ether_type = htons(ETHERTYPE_IPV6);
	q->v6.ip.ip6_flow = htonl(6U << 28);
	q->v6.ip.ip6_plen = htons(sizeof(q->v6.probe));
	q->v6.ip.ip6_nxt = IPPROTO_UDP;
	q->v6.ip.ip6_hlim = TTL;
	memcpy(&q->v6.ip.ip6_src, &a->local[TSW_IPV6], sizeof(to));
	memcpy(&q->v6.ip.ip6_dst, &to, sizeof(to));
	q->v6.probe = probe_for(a, who);
	so_far = checksum_add(&q->v6.ip.ip6_src, 2 * sizeof(to), so_far);
	q->v6.probe.udp.check =
		htons(checksum(&q->v6.probe, sizeof(q->v6.probe), so_far)) ?: 0xffff;
}

/* The octets behind the probe that make the outer IP packet as long as WHO says. */
static size_t filling(const struct asked *who, size_t question)
{
	const size_t outer =
		(who->family == TSW_IPV4 ? sizeof(struct iphdr) : sizeof(struct ip6_hdr)) +
		(who->encap == TSW_ENCAP_GRE ? 0 : sizeof(struct udphdr));

	return who->length > outer + question ? who->length - outer - question : 0;
}

/* Returns the UDP port that the question goes to; 0: by GRE. */
static __be16 write_header(struct question *q, const struct asker *a, enum tsw_encap encap)
{
	switch (encap) {
	case TSW_ENCAP_GRE:
		q->tunnel[0] = htons(GRE_KEY);
		q->tunnel[1] = htons(ETHERNET);
		return 0;
	case TSW_ENCAP_GENEVE:
		q->tunnel[0] = htons(GENEVE_CONTROL);
		q->tunnel[1] = htons(ETHERNET);
		return htons(TSW_GENEVE_PORT);
	default:
		q->tunnel[0] = htons(VXLAN_VALID << 8);
		return a->port;
	}
}

void ask(const struct asker *a, const struct asked *who)
{
	static const char zeros[ASK_LONGEST];
	static const struct tsw_mac to = TSW_PROBE_MAC, from = TSW_SERVICE_MAC;
	const bool v4 = who->family == TSW_IPV4;
	struct question q = {};
	struct iovec parts[] = {{.iov_base = &q}, {.iov_base = (char *)zeros}};
	struct sockaddr_storage at;
	const __be16 port = write_header(&q, a, who->encap);
	socklen_t len;

	memcpy(q.eth.ether_dhost, &to, sizeof(to));
	memcpy(q.eth.ether_shost, &from, sizeof(from));
	if (v4)
		write_v4(&q, a, who);
	else
		write_v6(&q, a, who);
	len = socket_address(who->family, &who->addr, port, &at);
	parts[0].iov_len = sizeof(q) - (v4 ? sizeof(q.v6) - sizeof(q.v4) : 0);
	parts[1].iov_len = filling(who, parts[0].iov_len);
	sendmsg(a->fd[who->encap][who->family],
		&(struct msghdr){
			.msg_name = &at, .msg_namelen = len, .msg_iov = parts, .msg_iovlen = 2},
		MSG_NOSIGNAL);
}
