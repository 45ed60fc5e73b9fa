// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/netlink.h"
#include "kernel/netns.h"
#include "kernel/netns_move.h"
#include "kernel/nft.h"

#define NETNS "/run/netns"

static int enter(int fd)
{
	/* Open sockets would stay in the old namespace. */
	netlink_close();
	nft_close();
	return setns(fd, CLONE_NEWNET) ? -errno : 0;
}

/* Open sockets are kept if the router is the same. */
void netns_router(int fd)
{
	if (!netns_set_router(fd))
		return;
	netlink_close_router();
	nft_close();
}

int netns_return(int fd)
{
	const int err = enter(fd);

	return err ? fail(err, "cannot return to the previous network namespace: %s",
			  strerror(-err))
		   : 0;
}

int netns_enter(const char *netns)
{
	char path[PATH_MAX];
	int fd, err;

	if (!*netns)
		return misuse("-n needs the name or the path of a network namespace");
	snprintf(path, sizeof(path), "%s%s", strchr(netns, '/') ? "" : NETNS "/", netns);
	fd = netns_open(path);
	if (fd == -EINVAL)
		return fail(EINVAL, "network namespace %s: %s is not a namespace", quoted(netns),
			    escaped(path));
	if (fd < 0)
		return fail(fd, "network namespace %s: cannot open %s: %s", quoted(netns),
			    escaped(path), strerror(-fd));
	err = enter(fd);
	if (err)
		fail(err, "network namespace %s: %s", quoted(netns), strerror(-err));
	close(fd);
	return err;
}
