/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Netlink sockets of this thread's network namespace, one for each family, mostly rtnetlink. They
 * stay open for the next request, in the namespace where they were opened. The router's namespace
 * has its own ones. Netfilter's are always in the router.
 */
#ifndef TSW_NETLINK_H
#define TSW_NETLINK_H

#include <stdbool.h>
#include <stddef.h>

#include <libmnl/libmnl.h>

#include <tsw/abi.h>

#define NETLINK_BUFFER 4096

/* Begins a request in BUFFER of NETLINK_BUFFER octets, with a zeroed extra header. */
struct nlmsghdr *netlink_begin(void *buffer, int type, int flags, size_t header);

/*
 * Sends a request, calls CB for each answer, and waits for the end. Returns -errno without message.
 * -EDEADLK: a CB made another request.
 */
int netlink_talk(struct nlmsghdr *request, mnl_cb_t cb, void *data);

/* The same with FAMILY, one of NETLINK_*, in place of rtnetlink. */
int netlink_talk_on(int family, struct nlmsghdr *request, mnl_cb_t cb, void *data);

/*
 * The same by a SOCKET of the caller. A CB that returns MNL_CB_STOP ends it; after a dump that
 * ended so the socket is of no more use.
 */
int netlink_talk_by(struct mnl_socket *socket, struct nlmsghdr *request, mnl_cb_t cb, void *data);

/*
 * A socket that the caller closes. Netfilter's are in the router, see netns.h: NULL with ENOENT
 * without a router. FLAGS as in socket(2).
 */
struct mnl_socket *netlink_open(int family, int flags);

/* Closes all sockets, before the thread enters another namespace or ends. */
void netlink_close(void);
/* Closes only the router's. */
void netlink_close_router(void);

/* ON: dumps of routes have only the requested table, not all tables. */
void netlink_strict(bool on);

/* AF_INET or AF_INET6. */
int netlink_af(enum tsw_family family);

/* ---- attributes ------------------------------------------------------------------- */

enum { ATTRS = 44 };

/* Attributes by their types; NULL: missing. Leaves out types from ATTRS on. */
struct attrs {
	const struct nlattr *at[ATTRS];
};

/* HEADER: octets of the extra header. */
struct attrs attrs_of(const struct nlmsghdr *message, size_t header);
struct attrs attrs_nested(const struct nlattr *attr); /* ATTR may be NULL */

/* The value in the message's byte order; 0, or "": ATTR is NULL. */
__u8 attr_u8(const struct nlattr *attr);
__u16 attr_u16(const struct nlattr *attr);
__u32 attr_u32(const struct nlattr *attr);
const char *attr_text(const struct nlattr *attr);

/* Copies a value of LEN octets. False: ATTR is NULL, or has another length. */
bool attr_copy(const struct nlattr *attr, void *to, size_t len);

/* An address of 4 or 16 octets. False: ATTR is NULL, or has another length. */
bool attr_addr(const struct nlattr *attr, struct tsw_addr *addr);
void attr_put_addr(struct nlmsghdr *request, int type, const struct tsw_addr *addr);

#endif
