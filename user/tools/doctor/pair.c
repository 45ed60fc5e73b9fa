// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/ipv6.h>
#include <linux/rtnetlink.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/conf.h"
#include "kernel/link.h"
#include "kernel/link_make.h"
#include "kernel/netlink.h"
#include "kernel/netns.h"
#include "kernel/sockets.h"
#include "tools/doctor/pair.h"

enum {
	PORT = 4790,
	TRIES = 3,
	TRY_MS = 300,
	LONGEST = 65535,
	PREFIX = 24,
	PREFIX6 = 64,
	IPV4_HEADER = 20,
	IPV6_HEADER = 40,
	CARRIER_MS = 2000,
};

static struct tsw_addr address(enum tsw_family family, unsigned int n)
{
	struct tsw_addr a = addr_from_v4(htonl(0xc0000200 + n)); /* 192.0.2.0/24, RFC 5737 */

	if (family == TSW_IPV6) /* 2001:db8::/32, RFC 3849 */
		a = (struct tsw_addr){.w = {htonl(0x20010db8), 0, 0, htonl(n)}};
	return a;
}

/* ---- namespaces and devices ---------------------------------------------------------- */

static int enter(int ns)
{
	return setns(ns, CLONE_NEWNET)
		       ? fail(errno, "cannot enter a network namespace: %s", strerror(errno))
		       : 0;
}

/* An empty namespace in which addresses are usable at once. */
static int make_namespace(int home, int *ns)
{
	int err;

	if (unshare(CLONE_NEWNET))
		return fail(errno, "cannot make a network namespace: %s", strerror(errno));
	conf_write(TSW_IPV6, "all", "accept_dad", 0);
	conf_write(TSW_IPV6, "default", "accept_dad", 0);
	*ns = netns_own();
	err = *ns < 0 ? *ns : 0;
	return enter(home) ?: err;
}

static int make_device(const struct pair *p, __u32 mtu)
{
	const struct link_end end = {.name = "eth0", .mac = &p->mac, .mtu = mtu, .netns = p->ns};
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = link_make_begin(buffer, p->dev);
	int err;

	mnl_attr_put_u32(request, IFLA_MTU, mtu);
	link_put_pair(request, &end);
	err = netlink_talk(request, NULL, NULL);
	return err ? fail(err, "cannot make the device %s: %s", quoted(p->dev), strerror(-err)) : 0;
}

/* The host's end sends nothing of its own. */
static void calm(const struct pair *p)
{
	conf_write(TSW_IPV6, p->dev, "disable_ipv6", 1);
}

int pair_make(struct pair pair[2], __u32 mtu)
{
	const int home = netns_own();
	unsigned int i;
	int err = home < 0 ? home : 0;

	for (i = 0; i < 2; i++) {
		pair[i] = (struct pair){.ns = -1, .socket = {-1, -1}, .foreign = -1};
		pair[i].mac = (struct tsw_mac){{0x02, 0, 0, 0, 0, (__u8)(i + 1)}};
		pair[i].ip[TSW_IPV4] = address(TSW_IPV4, i + 1);
		pair[i].ip[TSW_IPV6] = address(TSW_IPV6, i + 1);
	}
	for (i = 0; !err && i < 2; i++) {
		err = make_namespace(home, &pair[i].ns);
		link_free_name("tsw-test", pair[i].dev);
		err = err ?: make_device(&pair[i], mtu);
		if (!err)
			calm(&pair[i]);
	}
	if (home >= 0)
		close(home);
	return err;
}

/* ---- addresses and sockets ----------------------------------------------------------- */

static int refuse(const char *what)
{
	return fail(errno, "cannot %s in a network namespace: %s", what, strerror(errno));
}

static int set_up(const struct pair *p, int control)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = p->ip[TSW_IPV4].w[3]};
	struct ifreq request = {.ifr_name = "eth0"};

	memcpy(&request.ifr_addr, &in, sizeof(in));
	if (ioctl(control, SIOCSIFADDR, &request))
		return refuse("set an address");
	in.sin_addr.s_addr = htonl(~0U << (32 - PREFIX));
	memcpy(&request.ifr_netmask, &in, sizeof(in));
	if (ioctl(control, SIOCSIFNETMASK, &request))
		return refuse("set a netmask");
	request.ifr_flags = IFF_UP;
	return ioctl(control, SIOCSIFFLAGS, &request) ? refuse("set a device up") : 0;
}

/* -1 without IPv6. */
static void add_ipv6(const struct pair *p)
{
	const int control = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct in6_ifreq request = {.ifr6_prefixlen = PREFIX6,
				    .ifr6_ifindex = (int)if_nametoindex("eth0")};

	memcpy(&request.ifr6_addr, &p->ip[TSW_IPV6], sizeof(request.ifr6_addr));
	if (control >= 0) {
		ioctl(control, SIOCSIFADDR, &request);
		close(control);
	}
}

/*
 * Sends in one piece. -1: the kernel lacks the family. An IPv6 address is usable a moment after the
 * device has its carrier.
 */
static int open_udp(enum tsw_family family, const struct tsw_addr *at)
{
	const int v4 = IP_PMTUDISC_DO, v6 = IPV6_PMTUDISC_DO, on = 1;
	const int fd = socket(family == TSW_IPV4 ? AF_INET : AF_INET6,
			      SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_storage to;
	const socklen_t len = socket_address(family, at, htons(PORT), &to);
	int tries;

	if (fd < 0)
		return -1;
	if (family == TSW_IPV4) {
		setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &v4, sizeof(v4));
		setsockopt(fd, IPPROTO_IP, IP_TRANSPARENT, &on, sizeof(on));
	} else {
		setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &v6, sizeof(v6));
	}
	for (tries = 0; tries < CARRIER_MS; tries++) {
		if (!bind(fd, (void *)&to, len))
			return fd;
		if (errno != EADDRNOTAVAIL)
			break;
		poll(NULL, 0, 1);
	}
	close(fd);
	return -1;
}

static int open_inside(struct pair *p, unsigned int n)
{
	const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const struct tsw_addr other = address(TSW_IPV4, n + 9);
	int err = control < 0 ? refuse("open a socket") : set_up(p, control);

	if (control >= 0)
		close(control);
	if (err)
		return err;
	add_ipv6(p);
	p->socket[TSW_IPV4] = open_udp(TSW_IPV4, &p->ip[TSW_IPV4]);
	p->socket[TSW_IPV6] = open_udp(TSW_IPV6, &p->ip[TSW_IPV6]);
	p->foreign = open_udp(TSW_IPV4, &other);
	return p->socket[TSW_IPV4] < 0 || p->foreign < 0 ? refuse("open a socket") : 0;
}

static int start_one(struct pair *p, unsigned int n, int home)
{
	struct link link;
	int err = link_by_name(p->dev, &link), tries;

	err = err ?: link_start(link.ifindex);
	err = err ?: enter(p->ns);
	if (err)
		return err;
	err = open_inside(p, n);
	err = enter(home) ?: err;
	for (tries = 0; !err && tries < CARRIER_MS; tries++) {
		if (!link_by_index(link.ifindex, &link) && link.flags & IFF_RUNNING)
			break;
		poll(NULL, 0, 1);
	}
	return err;
}

int pair_start(struct pair pair[2])
{
	const int home = netns_own();
	unsigned int i;
	int err = home < 0 ? home : 0;

	for (i = 0; !err && i < 2; i++)
		err = start_one(&pair[i], i, home);
	if (home >= 0)
		close(home);
	return err;
}

void pair_end(struct pair pair[2])
{
	struct link link;
	unsigned int i;
	int family;

	for (i = 0; i < 2; i++) {
		for (family = 0; family < TSW_FAMILIES; family++)
			if (pair[i].socket[family] >= 0)
				close(pair[i].socket[family]);
		if (pair[i].foreign >= 0)
			close(pair[i].foreign);
		if (pair[i].ns < 0)
			continue;
		if (!link_by_name(pair[i].dev, &link))
			link_delete(link.ifindex);
		close(pair[i].ns);
	}
}

/* ---- datagrams ----------------------------------------------------------------------- */

/* Takes datagrams until one has this tag and length, or the time is over. */
static bool receives(int fd, __u64 tag, size_t len)
{
	static char data[LONGEST];
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	while (poll(&ready, 1, TRY_MS) > 0) {
		const ssize_t got = recv(fd, data, sizeof(data), 0);

		if (got == (ssize_t)len && !memcmp(data, &tag, sizeof(tag)))
			return true;
		if (got < 0 && errno != EAGAIN)
			return false;
	}
	return false;
}

static bool carries(int from, const struct pair *to, enum tsw_family family, size_t len, int tries)
{
	static char data[LONGEST];
	struct sockaddr_storage at;
	const socklen_t size = socket_address(family, &to->ip[family], htons(PORT), &at);
	__u64 tag;

	while (tries-- > 0) {
		if (getrandom(&tag, sizeof(tag), 0) != sizeof(tag))
			return false;
		memcpy(data, &tag, sizeof(tag));
		if (sendto(from, data, len, MSG_NOSIGNAL, (void *)&at, size) == (ssize_t)len &&
		    receives(to->socket[family], tag, len))
			return true;
	}
	return false;
}

bool pair_carries(const struct pair *from, const struct pair *to, enum tsw_family family,
		  __u32 length)
{
	const size_t headers =
		(family == TSW_IPV4 ? IPV4_HEADER : IPV6_HEADER) + sizeof(struct udphdr);

	return length > headers + sizeof(__u64) && length < LONGEST &&
	       carries(from->socket[family], to, family, length - headers, TRIES);
}

bool pair_carries_foreign(const struct pair *from, const struct pair *to)
{
	return carries(from->foreign, to, TSW_IPV4, 2 * sizeof(__u64), 1);
}
