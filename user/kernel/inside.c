// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/text.h"
#include "kernel/inside.h"
#include "kernel/netlink.h"
#include "kernel/netns.h"
#include "kernel/nsid.h"

/* ---- namespaces ------------------------------------------------------------------- */

/* Processes beyond this number are not looked at, so a fork bomb does not keep the caller. */
enum { PROCESSES = 65536, SEEN = 1024 };

struct look {
	bool (*wanted)(__s32 nsid, void *data);
	int (*fn)(__s32 nsid, struct mnl_socket *socket, void *data);
	void *data;
	ino_t seen[SEEN]; /* by the inode's last bits: saves most repeated requests */
};

/* Enters the namespace only to open *SOCKET, which stays NULL if that is not allowed. */
static int open_in(int fd, struct mnl_socket **socket)
{
	const int cleanup_close home = netns_own();

	if (home < 0 || setns(fd, CLONE_NEWNET))
		return 0;
	*socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (setns(home, CLONE_NEWNET))
		return fail(errno, "cannot leave a container's network namespace: %s",
			    strerror(errno));
	if (*socket && mnl_socket_bind(*socket, 0, MNL_SOCKET_AUTOPID) < 0) {
		mnl_socket_close(*socket);
		*socket = NULL;
	}
	return 0;
}

static int look_by(struct look *l, int fd, __s32 nsid)
{
	struct mnl_socket *socket = NULL;
	int stop;

	if (!l->wanted(nsid, l->data))
		return 0;
	stop = open_in(fd, &socket);
	if (!socket)
		return stop;
	stop = stop ?: l->fn(nsid, socket, l->data);
	mnl_socket_close(socket);
	return stop;
}

static int look_at(struct look *l, const char *path)
{
	struct stat is;
	__s32 nsid;
	int fd, stop;

	if (stat(path, &is) || l->seen[is.st_ino % SEEN] == is.st_ino)
		return 0;
	l->seen[is.st_ino % SEEN] = is.st_ino;
	fd = netns_open(path);
	if (fd < 0)
		return 0;
	stop = nsid_get(fd, &nsid) ? 0 : look_by(l, fd, nsid);
	close(fd);
	return stop;
}

/* REST: from an entry of DIR to its namespace. PROCESSES: only entries that are numbers. */
static int look_in(struct look *l, const char *dir, const char *rest, bool processes)
{
	DIR *all = opendir(dir);
	struct dirent *one;
	char path[512];
	int stop = 0, left = PROCESSES;

	while (all && !stop && left-- && (one = readdir(all))) {
		if (one->d_name[0] == '.' || (processes && !isdigit((unsigned char)*one->d_name)))
			continue;
		snprintf(path, sizeof(path), "%s/%s%s", dir, one->d_name, rest);
		stop = look_at(l, path);
	}
	if (all)
		closedir(all);
	return stop;
}

static int look_here(struct look *l)
{
	const int cleanup_close own = netns_own();

	return own < 0 ? 0 : look_by(l, own, INSIDE_OWN);
}

int inside_each(bool (*wanted)(__s32 nsid, void *data),
		int (*fn)(__s32 nsid, struct mnl_socket *socket, void *data), void *data)
{
	struct look l = {.wanted = wanted, .fn = fn, .data = data};
	int stop = look_here(&l);

	stop = stop ?: look_in(&l, "/run/netns", "", false);
	stop = stop ?: look_in(&l, "/run/docker/netns", "", false);
	stop = stop ?: look_in(&l, "/proc", "/ns/net", true);
	return stop < 0 ? stop : 0;
}

/* ---- what one has ----------------------------------------------------------------- */

/* An IPv4 route by an IPv6 router, RFC 8950. */
static void read_via(const struct nlattr *attr, struct tsw_addr *via)
{
	const struct rtvia *r = attr ? mnl_attr_get_payload(attr) : NULL;

	if (r && mnl_attr_get_payload_len(attr) == sizeof(*r) + sizeof(*via))
		memcpy(via, r->rtvia_addr, sizeof(*via));
}

static int read_route(const struct nlmsghdr *message, void *data)
{
	const struct rtmsg *header = mnl_nlmsg_get_payload(message);
	const struct attrs a = attrs_of(message, sizeof(*header));
	struct inside_route *r = data;

	r->local = header->rtm_type == RTN_LOCAL;
	r->ifindex = attr_u32(a.at[RTA_OIF]);
	if (!attr_addr(a.at[RTA_GATEWAY], &r->via))
		read_via(a.at[RTA_VIA], &r->via);
	attr_addr(a.at[RTA_PREFSRC], &r->src);
	return MNL_CB_OK;
}

struct inside_route inside_route(struct mnl_socket *socket, const struct tsw_addr *to)
{
	struct inside_route r = {};
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_GETROUTE, NLM_F_ACK, sizeof(struct rtmsg));
	struct rtmsg *header = mnl_nlmsg_get_payload(request);

	header->rtm_family = (__u8)netlink_af(addr_family(to));
	header->rtm_dst_len = addr_is_v4(to) ? 32 : 128;
	attr_put_addr(request, RTA_DST, to);
	r.err = netlink_talk_by(socket, request, read_route, &r);
	return r;
}

struct wanted_address {
	__u32 ifindex;
	struct tsw_prefix first;
	int left; /* answers that are read */
};

enum { ANSWERS = 1024 };

/* The kernel sends the next answers only if these are read, so a long list costs nothing. */
static int read_address(const struct nlmsghdr *message, void *data)
{
	const struct ifaddrmsg *info = mnl_nlmsg_get_payload(message);
	const struct attrs a = attrs_of(message, sizeof(*info));
	struct wanted_address *w = data;

	if (addr_is_none(&w->first.addr) && info->ifa_index == w->ifindex &&
	    info->ifa_scope < RT_SCOPE_LINK) {
		if (!attr_addr(a.at[IFA_LOCAL], &w->first.addr))
			attr_addr(a.at[IFA_ADDRESS], &w->first.addr);
		w->first.len = info->ifa_prefixlen + (info->ifa_family == AF_INET ? 96 : 0);
	}
	return w->left-- ? MNL_CB_OK : MNL_CB_STOP;
}

struct tsw_prefix inside_address(struct mnl_socket *socket, __u32 ifindex, enum tsw_family family)
{
	struct wanted_address w = {.ifindex = ifindex, .left = ANSWERS};
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_GETADDR, NLM_F_DUMP, sizeof(struct ifaddrmsg));
	struct ifaddrmsg *info = mnl_nlmsg_get_payload(request);
	const int strict = 1;

	info->ifa_family = (__u8)netlink_af(family);
	info->ifa_index = ifindex;
	mnl_socket_setsockopt(socket, NETLINK_GET_STRICT_CHK, (void *)&strict, sizeof(strict));
	netlink_talk_by(socket, request, read_address, &w);
	return w.first;
}
