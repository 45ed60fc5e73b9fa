/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets of this process's network namespace. */
#ifndef TSW_SOCKETS_H
#define TSW_SOCKETS_H

#include <stdbool.h>
#include <sys/socket.h>

#include <tsw/abi.h>

/*
 * A socket hears what comes to a port at this host's addresses, some of them or all: TCP that
 * listens, UDP that is bound. *AT: its address, all zero for all. -errno with the message set.
 */
int sockets_find(enum tsw_family family, __u8 proto, __u16 port, bool *found, struct tsw_addr *at);

struct heard {
	enum tsw_family family; /* of what comes: a socket may hear both, and is told twice then */
	__u8 proto;
	__u16 port;
	struct tsw_addr at; /* all zero: all addresses */
};

/* Tells each socket that strangers of this host may reach: TCP that listens, UDP without a peer. */
typedef void heard_visit(const struct heard *h, void *context);
int sockets_each(heard_visit *visit, void *context);

/* *AT: that address and port, the latter as on the wire. Its length. */
socklen_t socket_address(enum tsw_family family, const struct tsw_addr *addr, __be16 port,
			 struct sockaddr_storage *at);

#endif
