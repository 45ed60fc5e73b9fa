// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>

#include "base/err.h"
#include "kernel/conntrack.h"
#include "kernel/conntrack_attrs.h"
#include "kernel/netlink.h"
#include "kernel/netns.h"
#include "kernel/system.h"

/* Whether there are connections at all; a delete request looks at each, which takes time. */
static bool has_any(void)
{
	int count;

	if (netns_visit())
		return false;
	count = system_setting("/proc/sys/net/netfilter/nf_conntrack_count");
	netns_leave(0);
	return count && count != -ENOENT;
}

static int talk(struct mnl_socket *socket, struct nlmsghdr *request)
{
	char answer[MNL_SOCKET_BUFFER_SIZE];
	ssize_t len;

	if (mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    mnl_socket_sendto(socket, request, request->nlmsg_len) < 0)
		return -errno;
	len = mnl_socket_recvfrom(socket, answer, sizeof(answer));
	if (len < 0)
		return -errno;
	return mnl_cb_run(answer, (size_t)len, 0, mnl_socket_get_portid(socket), NULL, NULL) < 0
		       ? -errno
		       : 0;
}

int conntrack_forget(__u32 mark, __u32 mask)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		conntrack_begin_marked(buffer, IPCTNL_MSG_CT_DELETE, NLM_F_ACK, mark, mask);
	struct mnl_socket *socket;
	int err;

	if (!has_any())
		return 0;
	socket = netlink_open(NETLINK_NETFILTER, SOCK_CLOEXEC);
	err = socket ? talk(socket, request) : -errno;
	if (socket)
		mnl_socket_close(socket);
	return err && err != -ENOENT
		       ? fail(err, "cannot delete a tenant's connections: %s", strerror(-err))
		       : 0;
}
