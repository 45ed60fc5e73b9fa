// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/text.h"
#include "kernel/netlink.h"
#include "kernel/netns.h"

/*
 * The kernel puts at most 32 KiB together, but a device alone may take more: a container can give
 * its own 64 KiB of other names.
 */
enum { RECEIVE_LEN = 131072, TRIES = 8 };

struct nlmsghdr *netlink_begin(void *buffer, int type, int flags, size_t header)
{
	struct nlmsghdr *request;

	memset(buffer, 0, NETLINK_BUFFER); /* libmnl does not clear the padding of attributes */
	request = mnl_nlmsg_put_header(buffer);
	request->nlmsg_type = (__u16)type;
	request->nlmsg_flags = (__u16)(NLM_F_REQUEST | flags);
	mnl_nlmsg_put_extra_header(request, header);
	return request;
}

/* Which namespace a socket is in. */
enum where { HERE, ROUTER, NAMESPACES };

/* Kept open, because a batch would make them again for each line. */
static _Thread_local struct mnl_socket *all[NAMESPACES][MAX_LINKS];

struct mnl_socket *netlink_open(int family, int flags)
{
	const bool visit = family == NETLINK_NETFILTER;
	int err = visit ? netns_visit() : 0;
	struct mnl_socket *socket;

	if (err) {
		errno = -err;
		return NULL;
	}
	socket = mnl_socket_open2(family, flags);
	if (visit)
		netns_leave(0);
	return socket;
}

static struct mnl_socket *socket_get(int family)
{
	const bool router = family == NETLINK_NETFILTER || netns_is_visit();
	struct mnl_socket **socket = &all[router ? ROUTER : HERE][family];

	if (*socket)
		return *socket;
	*socket = netlink_open(family, SOCK_CLOEXEC);
	if (*socket && mnl_socket_bind(*socket, 0, MNL_SOCKET_AUTOPID) < 0) {
		mnl_socket_close(*socket);
		*socket = NULL;
	}
	return *socket;
}

static void close_all(enum where where)
{
	int family;

	for (family = 0; family < MAX_LINKS; family++) {
		if (all[where][family])
			mnl_socket_close(all[where][family]);
		all[where][family] = NULL;
	}
}

void netlink_close_router(void)
{
	close_all(ROUTER);
}

void netlink_close(void)
{
	close_all(HERE);
	close_all(ROUTER);
}

int netlink_talk_by(struct mnl_socket *socket, struct nlmsghdr *request, mnl_cb_t cb, void *data)
{
	static _Thread_local unsigned int sequence;
	char buffer[RECEIVE_LEN];
	ssize_t len, most = 0;
	int more, err = 0;

	request->nlmsg_seq = ++sequence;
	if (mnl_socket_sendto(socket, request, request->nlmsg_len) < 0)
		return -errno;
	do {
		len = mnl_socket_recvfrom(socket, buffer, sizeof(buffer));
		if (len < 0) {
			err = -errno;
			break;
		}
		most = len > most ? len : most;
		more = mnl_cb_run(buffer, (size_t)len, sequence, mnl_socket_get_portid(socket), cb,
				  data);
		/* An older answer, of a request that was given up. */
		if (more < 0 && errno == EPROTO)
			more = MNL_CB_OK;
		if (more < 0)
			err = -errno;
	} while (more > MNL_CB_STOP);
	explicit_bzero(buffer, (size_t)most); /* a WireGuard device's answer has the private key */
	return err;
}

int netlink_talk_on(int family, struct nlmsghdr *request, mnl_cb_t cb, void *data)
{
	static _Thread_local bool talking;
	struct mnl_socket *socket = socket_get(family);
	int err, tries = TRIES;

	if (!socket)
		return -errno;
	if (talking)
		return -EDEADLK;
	talking = true;
	/* EINTR: the list changed during the dump. */
	do
		err = netlink_talk_by(socket, request, cb, data);
	while (err == -EINTR && --tries);
	talking = false;
	return err;
}

int netlink_talk(struct nlmsghdr *request, mnl_cb_t cb, void *data)
{
	return netlink_talk_on(NETLINK_ROUTE, request, cb, data);
}

void netlink_strict(bool on)
{
	struct mnl_socket *socket = socket_get(NETLINK_ROUTE);
	int value = on;

	if (socket)
		mnl_socket_setsockopt(socket, NETLINK_GET_STRICT_CHK, &value, sizeof(value));
}

int netlink_af(enum tsw_family family)
{
	return family == TSW_IPV4 ? AF_INET : AF_INET6;
}

/* ---- attributes ------------------------------------------------------------------- */

static int take_attr(const struct nlattr *attr, void *data)
{
	struct attrs *attrs = data;

	if (mnl_attr_get_type(attr) < ATTRS)
		attrs->at[mnl_attr_get_type(attr)] = attr;
	return MNL_CB_OK;
}

struct attrs attrs_of(const struct nlmsghdr *message, size_t header)
{
	struct attrs attrs = {};

	mnl_attr_parse(message, (unsigned int)header, take_attr, &attrs);
	return attrs;
}

struct attrs attrs_nested(const struct nlattr *attr)
{
	struct attrs attrs = {};

	if (attr)
		mnl_attr_parse_nested(attr, take_attr, &attrs);
	return attrs;
}

__u8 attr_u8(const struct nlattr *attr)
{
	return attr ? mnl_attr_get_u8(attr) : 0;
}

__u16 attr_u16(const struct nlattr *attr)
{
	return attr ? mnl_attr_get_u16(attr) : 0;
}

__u32 attr_u32(const struct nlattr *attr)
{
	return attr ? mnl_attr_get_u32(attr) : 0;
}

const char *attr_text(const struct nlattr *attr)
{
	return attr ? mnl_attr_get_str(attr) : "";
}

bool attr_copy(const struct nlattr *attr, void *to, size_t len)
{
	if (!attr || mnl_attr_get_payload_len(attr) != len)
		return false;
	memcpy(to, mnl_attr_get_payload(attr), len);
	return true;
}

bool attr_addr(const struct nlattr *attr, struct tsw_addr *addr)
{
	__be32 v4;

	if (!attr_copy(attr, &v4, sizeof(v4)))
		return attr_copy(attr, addr, sizeof(*addr));
	*addr = addr_from_v4(v4);
	return true;
}

void attr_put_addr(struct nlmsghdr *request, int type, const struct tsw_addr *addr)
{
	if (addr_is_v4(addr))
		mnl_attr_put_u32(request, (__u16)type, addr->w[3]);
	else
		mnl_attr_put(request, (__u16)type, sizeof(*addr), addr);
}
