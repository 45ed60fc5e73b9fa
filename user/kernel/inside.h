/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A look into the network namespace of a container, by netlink sockets that are in it. Nothing
 * there is changed, and each answer is small whatever the namespace holds.
 */
#ifndef TSW_INSIDE_H
#define TSW_INSIDE_H

#include <stdbool.h>

#include <libmnl/libmnl.h>

#include <tsw/abi.h>

enum { INSIDE_OWN = -1 }; /* in place of an id: this thread's own namespace */

/*
 * Calls FN with a socket in each namespace that the files of ip-netns(8) and Docker, or a process,
 * show, and with this namespace's id of it, until FN returns 1. WANTED says which ids are of
 * interest; the same id may come again. One that may not be entered is left out.
 */
int inside_each(bool (*wanted)(__s32 nsid, void *data),
		int (*fn)(__s32 nsid, struct mnl_socket *socket, void *data), void *data);

/* How the namespace sends to an address. */
struct inside_route {
	int err;	     /* it cannot: -ENETUNREACH and others */
	bool local;	     /* the address is its own */
	__u32 ifindex;	     /* by which device */
	struct tsw_addr via; /* the router; none: the address is on the link */
	struct tsw_addr src; /* as which address, unless a program chooses another */
};

struct inside_route inside_route(struct mnl_socket *socket, const struct tsw_addr *to);

/* The first address of a device that is not link-local, and its network; none: it has none. */
struct tsw_prefix inside_address(struct mnl_socket *socket, __u32 ifindex, enum tsw_family family);

#endif
