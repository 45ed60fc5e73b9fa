/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets of this process's network namespace. */
#ifndef TSW_SOCKETS_H
#define TSW_SOCKETS_H

#include <stdbool.h>

#include <tsw/abi.h>

/*
 * A socket hears what comes to a port at this host's addresses, some of them or all: TCP that
 * listens, UDP that is bound. *AT: its address, all zero for all. -errno with the message set.
 */
int sockets_find(enum tsw_family family, __u8 proto, __u16 port, bool *found, struct tsw_addr *at);

#endif
