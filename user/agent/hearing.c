// SPDX-License-Identifier: GPL-2.0-only
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libmnl/libmnl.h>

#include "agent/hearing.h"
#include "kernel/netlink.h"
#include "kernel/netns.h"
#include "store/pins.h"

enum { IN_HOST, IN_ROUTER, IN_NFTABLES };

#define ROUTE_GROUPS                                                                             \
	(RTMGRP_LINK | RTMGRP_TC | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | \
	 RTMGRP_IPV6_ROUTE | RTMGRP_IPV4_RULE | 1U << (RTNLGRP_IPV6_RULE - 1) |                  \
	 1U << (RTNLGRP_IPV4_NETCONF - 1) | 1U << (RTNLGRP_IPV6_NETCONF - 1))
#define NFTABLES_GROUPS (1U << (NFNLGRP_NFTABLES - 1))

static struct mnl_socket *open_groups(int family, unsigned int groups)
{
	struct mnl_socket *s = netlink_open(family, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (s && mnl_socket_bind(s, groups, MNL_SOCKET_AUTOPID) < 0) {
		mnl_socket_close(s);
		s = NULL;
	}
	return s;
}

static void open_router(struct hearing *h)
{
	if (netns_visit())
		return;
	h->socket[IN_ROUTER] = open_groups(NETLINK_ROUTE, ROUTE_GROUPS);
	netns_leave(0);
	h->socket[IN_NFTABLES] = open_groups(NETLINK_NETFILTER, NFTABLES_GROUPS);
}

static void watch_pins(struct hearing *h, const char *instance)
{
	static const char *const dirs[] = {"maps", "progs", "links"};
	char path[PINS_PATH];
	size_t i;

	h->pins = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	for (i = 0; h->pins >= 0 && i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		pins_path(path, instance, dirs[i]);
		inotify_add_watch(h->pins, path, IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF);
	}
}

void hearing_open(struct hearing *h, const struct tsw *t)
{
	hearing_close(h);
	h->socket[IN_HOST] = open_groups(NETLINK_ROUTE, ROUTE_GROUPS);
	if (t->open)
		open_router(h);
	watch_pins(h, t->instance);
}

void hearing_close(struct hearing *h)
{
	size_t i;

	for (i = 0; i < HEARING_FDS - 1; i++)
		if (h->socket[i])
			mnl_socket_close(h->socket[i]);
	if (h->pins >= 0)
		close(h->pins);
	*h = (struct hearing)HEARING_CLOSED;
}

void hearing_poll(const struct hearing *h, struct pollfd fds[HEARING_FDS])
{
	size_t i;

	for (i = 0; i < HEARING_FDS - 1; i++)
		fds[i] = (struct pollfd){
			.fd = h->socket[i] ? mnl_socket_get_fd(h->socket[i]) : -1,
			.events = POLLIN,
		};
	fds[i] = (struct pollfd){.fd = h->pins, .events = POLLIN};
}
