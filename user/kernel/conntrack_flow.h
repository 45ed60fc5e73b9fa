/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flows of TCP and UDP that a tenant began, in the kernel's table of connections: they are read,
 * and those of another host are put there.
 */
#ifndef TSW_CONNTRACK_FLOW_H
#define TSW_CONNTRACK_FLOW_H

#include <stdbool.h>

#include <libmnl/libmnl.h>

#include <tsw/abi.h>

struct flow {
	struct tsw_addr src, dst; /* as its endpoint sends it */
	struct tsw_addr nat;	  /* as what it leaves; src: as itself */
	__be16 sport, dport, nat_port;
	__u8 proto;
	__u8 state;   /* enum tcp_conntrack; of UDP 0 */
	__u32 expiry; /* seconds until the kernel forgets it, if nothing more is sent */
};

/* What the kernel tells of one. */
struct conntrack_entry {
	struct flow flow;
	__u32 index; /* of its mark, class TSW_CT_OUT; and its zone in the original direction */
	bool assured;
	bool gone; /* the kernel has forgotten it */
};

/* False: it is none of a tenant's TCP or UDP, or does more than to leave as another source. */
bool conntrack_read(const struct nlmsghdr *message, struct conntrack_entry *entry);

/* A socket that hears of tenants' flows that change or go; NULL with errno. */
struct mnl_socket *conntrack_listen(void);

/* Asks a socket for all tenants' flows, or -errno: the answers are the caller's to read. */
int conntrack_dump(struct mnl_socket *socket);

/* All entries of an index, by CB, for conntrack_read(). */
int conntrack_each(__u32 index, mnl_cb_t cb, void *data);

/* The entry that begins as FLOW does; -ENOENT: none. Like those below without a message. */
int conntrack_get(__u32 index, const struct flow *flow, struct conntrack_entry *entry);

/*
 * A new entry, assured; -EEXIST: another has such answers. As the window of TCP is not known here
 * it is not looked at.
 */
int conntrack_put(__u32 index, const struct flow *flow);

/* One that is there: expiry and state; LIBERAL_ONLY: only that TCP's window is not looked at. */
int conntrack_renew(__u32 index, const struct flow *flow, bool liberal_only);

int conntrack_del(__u32 index, const struct flow *flow); /* none there: done */

#endif
