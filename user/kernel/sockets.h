/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets of this thread's network namespace. */
#ifndef TSW_SOCKETS_H
#define TSW_SOCKETS_H

#include <stdbool.h>
#include <sys/socket.h>

#include <tsw/abi.h>

/*
 * Finds a socket that receives packets to a port of this host: listening TCP, or bound UDP. *AT:
 * its address, all zero for all addresses. Leaves out sockets of processes that have the argument
 * WORD, if that is not empty. -errno with the message set.
 */
int sockets_find(enum tsw_family family, __u8 proto, __u16 port, const char *word, bool *found,
		 struct tsw_addr *at);

struct heard {
	enum tsw_family family; /* of the packets; a socket for both families is visited twice */
	__u8 proto;
	__u16 port;
	struct tsw_addr at; /* all zero: all addresses */
	__u32 inode;
};

/* Visits each socket that other machines may reach: listening TCP, and UDP without a peer. */
typedef void heard_visit(const struct heard *h, void *context);
int sockets_each(heard_visit *visit, void *context);

/* Sets *AT to that address and port (network byte order). Returns its length. */
socklen_t socket_address(enum tsw_family family, const struct tsw_addr *addr, __be16 port,
			 struct sockaddr_storage *at);

#endif
