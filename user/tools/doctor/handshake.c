// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/ended.h"
#include "kernel/sockets.h"
#include "record/host_keys.h"
#include "tools/doctor/handshake.h"
#include "wire/crypt.h"

enum {
	WATCH_MS = 6000, /* WireGuard tries again after five seconds (REKEY_TIMEOUT) */
	FRESH_MS = 9000, /* who has a session answers after ten without data (KEEPALIVE_TIMEOUT) */
	AGAIN_MS = 1000,
	COUNT_MS = 300, /* until the kernel has counted what came */
	HEAD = 64,	/* octets that have the UDP header: the longest IPv4 header is 60 */
};

/* The host's row, and the peer by which frames are sent to it. */
static const struct wg_peer *find_peer(const struct crypt *c, __u32 host, size_t *row)
{
	const struct host_row *at = hosts_row(&c->hosts, host);
	const unsigned int own = c->map.own & 1;
	struct wg_peer want;
	unsigned int other;

	if (!at)
		return NULL;
	*row = (size_t)(at - c->hosts.row);
	other = host_keys_used(&at->host);
	return crypt_wants_peer(c, own, other, *row, &want)
		       ? wg_find(&c->device[own][other], want.key)
		       : NULL;
}

/* A raw socket gets what this host's firewall lets in, also what WireGuard drops later. */
static void open_sockets(struct shaking *s)
{
	const int domain = s->family == TSW_IPV4 ? AF_INET : AF_INET6;
	const int flags = SOCK_CLOEXEC | SOCK_NONBLOCK, on = 1;
	struct sockaddr_storage at;
	socklen_t len;

	s->udp = socket(domain, SOCK_DGRAM | flags, 0);
	s->raw = socket(domain, SOCK_RAW | flags, IPPROTO_UDP);
	/* Otherwise an ICMP error of a router, or of a neighbour that is not there, is not told. */
	if (s->family == TSW_IPV4)
		setsockopt(s->udp, IPPROTO_IP, IP_RECVERR, &on, sizeof(on));
	else
		setsockopt(s->udp, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof(on));
	len = socket_address(s->family, &s->addr, htons(s->port), &at);
	(void)!connect(s->udp, (void *)&at, len);
	len = socket_address(s->family, &s->addr, 0, &at);
	(void)!connect(s->raw, (void *)&at, len);
}

static void begin(const struct crypt *c, struct shaking *s)
{
	size_t row = 0;
	const struct wg_peer *peer = find_peer(c, s->host, &row);
	__u64 tx;

	s->udp = s->raw = -1;
	s->is = peer ? HANDSHAKE_NOTHING : HANDSHAKE_NO_PEER;
	if (!peer)
		return;
	s->family = (enum tsw_family)(c->hosts.row[row].host.family & 1);
	s->addr = c->hosts.row[row].host.addr[s->family];
	s->port = peer->port;
	s->last = crypt_traffic(c, row, &s->rx, &tx);
	s->fresh = s->last && c->now < s->last + CRYPT_LATE;
	open_sockets(s);
}

static void take_error(struct shaking *s, int error)
{
	if (error == ECONNREFUSED)
		s->is = HANDSHAKE_REFUSED;
	else if (error == EPERM)
		s->is = HANDSHAKE_KEPT;
	else if (error == EHOSTUNREACH || error == ENETUNREACH || error == EACCES)
		s->is = HANDSHAKE_UNREACHED;
}

/* WireGuard drops this octet without a word; a closed port answers it. */
static void knock(struct shaking *s)
{
	if (s->is == HANDSHAKE_NOTHING && send(s->udp, "", 1, MSG_NOSIGNAL) < 0)
		take_error(s, errno);
}

/* Behind an IPv4 header, which a raw socket of IPv6 does not get. */
static bool is_to_wireguard(const struct tsw *t, const struct shaking *s, const __u8 *head,
			    size_t len)
{
	const size_t at = (s->family == TSW_IPV4 ? (head[0] & 15) * 4U : 0) + 2;

	return len >= at + 2 && crypt_has_port(t, (__u32)head[at] << 8 | head[at + 1]);
}

static void hear(const struct tsw *t, struct shaking *s)
{
	socklen_t len = sizeof(int);
	__u8 head[HEAD];
	ssize_t got;
	int error;

	if (!getsockopt(s->udp, SOL_SOCKET, SO_ERROR, &error, &len))
		take_error(s, error);
	while ((got = recv(s->raw, head, sizeof(head), 0)) > 0)
		s->comes |= is_to_wireguard(t, s, head, (size_t)got);
}

/* True: more time would tell no more. */
static bool is_told(const struct shaking *s)
{
	return s->comes || (s->is != HANDSHAKE_NOTHING && s->is != HANDSHAKE_UNREACHED);
}

static void watch(const struct tsw *t, struct shaking *all, size_t n)
{
	__u64 now = clock_ns(CLOCK_MONOTONIC), again = now, end = now + WATCH_MS * MS_NS;
	struct pollfd fds[2 * HANDSHAKES];
	size_t i, waits = n;

	for (i = 0; i < n; i++)
		if (all[i].fresh)
			end = now + FRESH_MS * MS_NS;
	while (waits && now < end && !ended_asked()) {
		for (i = 0; i < n; i++) {
			fds[2 * i] = (struct pollfd){.fd = all[i].udp};
			fds[2 * i + 1] = (struct pollfd){.fd = all[i].raw, .events = POLLIN};
			if (now >= again)
				knock(&all[i]);
		}
		again = now >= again ? now + AGAIN_MS * MS_NS : again;
		poll(fds, 2 * n, AGAIN_MS / 4);
		for (i = 0, waits = 0; i < n; i++) {
			if (all[i].is != HANDSHAKE_NO_PEER)
				hear(t, &all[i]);
			waits += !is_told(&all[i]);
		}
		now = clock_ns(CLOCK_MONOTONIC);
	}
}

/* The kernel counts of a peer only what came by its key. What this host's own rules do is sure. */
void handshake_judge(struct shaking *s, __u64 last, __u64 rx)
{
	if (last > s->last)
		s->is = HANDSHAKE_DONE;
	else if (s->is == HANDSHAKE_KEPT)
		return;
	else if (rx > s->rx)
		s->is = s->fresh ? HANDSHAKE_HEARD : HANDSHAKE_ONE_WAY;
	else if (s->comes)
		s->is = HANDSHAKE_FOREIGN;
}

static void end(const struct crypt *c, struct shaking *s)
{
	const struct host_row *at = hosts_row(&c->hosts, s->host);
	__u64 rx, tx, last;

	if (at && s->is != HANDSHAKE_NO_PEER) {
		last = crypt_traffic(c, (size_t)(at - c->hosts.row), &rx, &tx);
		handshake_judge(s, last, rx);
	}
	if (s->udp >= 0)
		close(s->udp);
	if (s->raw >= 0)
		close(s->raw);
}

int handshakes_watch(const struct tsw *t, struct shaking *all, size_t n)
{
	const struct timespec pause = {0, COUNT_MS * MS_NS};
	cleanup_crypt struct crypt before = {}, after = {};
	size_t i;
	int err = crypt_read(t, &before);

	if (err)
		return err;
	for (i = 0; i < n; i++)
		begin(&before, &all[i]);
	watch(t, all, n);
	nanosleep(&pause, NULL);
	err = crypt_read(t, &after);
	for (i = 0; i < n; i++)
		end(&after, &all[i]);
	return err;
}
