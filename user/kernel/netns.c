// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/cleanup.h"
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

int netns_open(const char *path)
{
	const int cleanup_close at = open(path, O_PATH | O_CLOEXEC);
	char again[32];
	struct statfs of;
	int fd;

	if (at < 0 || fstatfs(at, &of))
		return -errno;
	if (of.f_type != NSFS_MAGIC)
		return -EINVAL;
	snprintf(again, sizeof(again), "/proc/self/fd/%d", at);
	fd = open(again, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
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
		return fail(EINVAL, "network namespace %s: %s is no namespace", quoted(netns),
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

int netns_inode(__u32 *inode)
{
	struct stat own;

	if (stat(OWN, &own))
		return fail(errno, "cannot tell which network namespace this is: " OWN ": %s",
			    strerror(errno));
	*inode = (__u32)own.st_ino;
	return 0;
}
