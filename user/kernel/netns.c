// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "kernel/netlink.h"
#include "kernel/netns.h"
#include "kernel/nft.h"
#include "base/text.h"

#define NETNS "/run/netns"
#define OWN "/proc/thread-self/ns/net"

static int enter(int fd)
{
	/* Their sockets would stay behind. */
	netlink_close();
	nft_close();
	return setns(fd, CLONE_NEWNET) ? -errno : 0;
}

int netns_own(void)
{
	const int fd = open(OWN, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? fail(errno, "cannot tell which network namespace this is: " OWN ": %s",
			     strerror(errno))
		      : fd;
}

int netns_return(int fd)
{
	const int err = enter(fd);

	return err ? fail(err, "cannot go back to the network namespace of before: %s",
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
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(errno, "network namespace %s: cannot open %s: %s", quoted(netns),
			    escaped(path), strerror(errno));
	err = enter(fd);
	if (err)
		fail(err, "network namespace %s: %s", quoted(netns), strerror(-err));
	close(fd);
	return err;
}

int netns_inode(__u32 *inode)
{
	struct stat own;

	if (stat(OWN, &own))
		return fail(errno, "cannot tell which network namespace this is: " OWN ": %s",
			    strerror(errno));
	*inode = (__u32)own.st_ino;
	return 0;
}
