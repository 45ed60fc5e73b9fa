/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flows of TCP and UDP that tenants began, in the kernel's table of connections: reads them, and
 * adds those of another host.
 */
#ifndef TSW_CONNTRACK_FLOW_H
#define TSW_CONNTRACK_FLOW_H

#include <stdbool.h>

#include <libmnl/libmnl.h>

#include <tsw/abi.h>

struct flow {
	struct tsw_addr src, dst; /* in the direction from its endpoint */
	struct tsw_addr nat;	  /* the source with which it leaves; src: not translated */
	__be16 sport, dport, nat_port;
	__u8 proto;
	__u8 state;   /* enum tcp_conntrack; 0 for UDP */
	__u32 expiry; /* seconds until an idle flow is forgotten */
};

/* A flow in the kernel's table. */
struct conntrack_entry {
	struct flow flow;
	__u32 index; /* of its mark, class TSW_CT_OUT; and its zone in the original direction */
	bool assured;
	bool gone; /* the kernel has forgotten it */
};

/* False: not TCP or UDP of a tenant, or more than its source is translated. */
bool conntrack_read(const struct nlmsghdr *message, struct conntrack_entry *entry);

/* A socket for events of tenants' flows that change or end; NULL with errno. */
struct mnl_socket *conntrack_listen(void);

/* Requests all tenants' flows on a socket. The caller reads the answers. Returns -errno. */
int conntrack_dump(struct mnl_socket *socket);

/* Calls CB, which may use conntrack_read(), for all entries of an index. */
int conntrack_each(__u32 index, mnl_cb_t cb, void *data);

/* Finds the entry of FLOW; -ENOENT: none. This and the functions below set no message. */
int conntrack_get(__u32 index, const struct flow *flow, struct conntrack_entry *entry);

/*
 * Adds an assured entry. -EEXIST: another entry has the same reply direction. The window of TCP is
 * not known here, so it is not checked.
 */
int conntrack_put(__u32 index, const struct flow *flow);

/* Sets expiry and state of an entry. LIBERAL_ONLY: only turns off the check of TCP's window. */
int conntrack_renew(__u32 index, const struct flow *flow, bool liberal_only);

int conntrack_del(__u32 index, const struct flow *flow); /* 0 also without an entry */

#endif
