// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/ask.h"
#include "agent/flow_wire.h"
#include "base/err.h"
#include "base/text.h"
#include "kernel/sockets.h"

#ifndef IPV6_RECVFRAGSIZE
#define IPV6_RECVFRAGSIZE 77 /* linux/in6.h's, which does not go with netinet/in.h */
#endif

enum { BUFFER = 4 << 20, NEXT_HEADER_AT = 6 };

/*
 * Accepts only what comes by an underlay, because a container of this host could send with any
 * address. Refuses IPv6 with extension headers: behind these the sender's guard sees no UDP.
 */
static int attach_filter(int fd, enum tsw_family family, const struct tsw_config *config)
{
	struct sock_filter code[5 + 2 * TSW_UNDERLAYS];
	struct sock_fprog filter = {.filter = code};
	unsigned short n = 0;
	int i;

	if (family == TSW_IPV6) {
		code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_B | BPF_ABS,
							 (__u32)SKF_NET_OFF + NEXT_HEADER_AT);
		code[n++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 1, 0);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 (__u32)(SKF_AD_OFF + SKF_AD_IFINDEX));
	for (i = 0; i < TSW_UNDERLAYS && config->underlay[i].ifindex; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							 config->underlay[i].ifindex, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, ~0U);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	filter.len = n;
	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter));
}

/* Sets the filter before it binds, so that no datagram passes the filter. */
static int open_one(enum tsw_family family, const struct tsw_config *config)
{
	const int fd = socket(family == TSW_IPV4 ? AF_INET : AF_INET6,
			      SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const __u32 priority = ask_priority(config);
	const int on = 1, room = BUFFER;
	struct sockaddr_storage at;
	const socklen_t len =
		socket_address(family, &config->local[family], htons(TSW_FLOWS_PORT), &at);
	int err;

	if (fd >= 0 && !attach_filter(fd, family, config) &&
	    !setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)) &&
	    (family == TSW_IPV4 ||
	     !setsockopt(fd, IPPROTO_IPV6, IPV6_RECVFRAGSIZE, &on, sizeof(on))) &&
	    !setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) &&
	    !bind(fd, (void *)&at, len))
		return fd;
	err = fail(errno, "cannot open UDP port %u of %s: %s", TSW_FLOWS_PORT,
		   addr_text(&config->local[family]), strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

int flow_wire_open(struct flow_wire *w, const struct tsw_config *config)
{
	int family, fd;

	*w = (struct flow_wire)FLOW_WIRE_CLOSED;
	w->config = *config;
	for (family = 0; family < TSW_FAMILIES; family++) {
		if (addr_is_none(&config->local[family]))
			continue;
		fd = open_one(family, config);
		if (fd < 0) {
			flow_wire_close(w);
			return fd;
		}
		w->fd[family] = fd;
	}
	return 0;
}

void flow_wire_close(struct flow_wire *w)
{
	int family;

	for (family = 0; family < TSW_FAMILIES; family++) {
		if (w->fd[family] >= 0)
			close(w->fd[family]);
		w->fd[family] = -1;
	}
}

bool flow_wire_fits(const struct flow_wire *w, const struct tsw_config *config)
{
	int i;

	if ((w->fd[TSW_IPV4] < 0 && w->fd[TSW_IPV6] < 0) || w->config.pass != config->pass ||
	    memcmp(w->config.local, config->local, sizeof(config->local)))
		return false;
	for (i = 0; i < TSW_UNDERLAYS; i++)
		if (w->config.underlay[i].ifindex != config->underlay[i].ifindex)
			return false;
	return true;
}

bool flow_wire_send(const struct flow_wire *w, const struct tsw_host *to,
		    const struct flow_datagram *d)
{
	const enum tsw_family family = (enum tsw_family)to->family;
	struct sockaddr_storage at;
	const socklen_t len = socket_address(family, &to->addr[family], htons(TSW_FLOWS_PORT), &at);

	return sendto(w->fd[family], d->octets, d->len, MSG_NOSIGNAL | MSG_DONTWAIT, (void *)&at,
		      len) == (ssize_t)d->len;
}

/* Ignores datagrams that came in fragments: the sender's guard does not see their UDP either. */
ssize_t flow_wire_receive(const struct flow_wire *w, enum tsw_family family,
			  __u8 octets[FLOW_DATAGRAM], struct tsw_addr *from)
{
	char control[CMSG_SPACE(sizeof(int))];
	struct sockaddr_storage at;
	const struct sockaddr_in *in = (void *)&at;
	const struct sockaddr_in6 *in6 = (void *)&at;
	struct iovec part = {octets, FLOW_DATAGRAM};
	struct msghdr message = {.msg_name = &at,
				 .msg_namelen = sizeof(at),
				 .msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	const ssize_t len = recvmsg(w->fd[family], &message, MSG_DONTWAIT);

	if (len < 0)
		return -errno;
	if (message.msg_controllen || message.msg_flags & MSG_TRUNC)
		return 0;
	if (family == TSW_IPV4)
		*from = addr_from_v4(in->sin_addr.s_addr);
	else
		memcpy(from, &in6->sin6_addr, sizeof(*from));
	/* The port is at the same place in both. */
	return ntohs(in->sin_port) == TSW_FLOWS_PORT ? len : 0;
}
