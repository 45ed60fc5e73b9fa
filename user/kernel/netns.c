// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "kernel/netns.h"

#define OWN "/proc/thread-self/ns/net"

static _Thread_local struct {
	int fd; /* or -1 */
	struct stat is;
	int home; /* while depth is not 0 */
	int depth;
} router = {.fd = -1, .home = -1};

bool netns_set_router(int fd)
{
	struct stat is = {};
	bool same;

	if (fd >= 0 && fstat(fd, &is)) {
		close(fd);
		fd = -1;
	}
	same = fd >= 0 && router.fd >= 0 && is.st_ino == router.is.st_ino &&
	       is.st_dev == router.is.st_dev;
	if (router.fd >= 0)
		close(router.fd);
	router.fd = fd;
	router.is = is;
	return !same;
}

bool netns_has_router(void)
{
	return router.fd >= 0;
}

bool netns_is_visit(void)
{
	return router.depth;
}

int netns_home(void)
{
	return router.home;
}

int netns_visit(void)
{
	int home;

	if (router.depth) {
		router.depth++;
		return 0;
	}
	if (router.fd < 0)
		return fail(ENOENT, "the router's network namespace is missing");
	home = netns_own();
	if (home < 0)
		return home;
	if (setns(router.fd, CLONE_NEWNET)) {
		const int err = fail(errno, "cannot enter the router's network namespace: %s",
				     strerror(errno));

		close(home);
		return err;
	}
	router.home = home;
	router.depth = 1;
	return 0;
}

int netns_leave(int err)
{
	if (--router.depth)
		return err;
	if (setns(router.home, CLONE_NEWNET) && !err)
		err = fail(errno, "cannot leave the router's network namespace: %s",
			   strerror(errno));
	close(router.home);
	router.home = -1;
	return err;
}

int netns_own(void)
{
	const int fd = open(OWN, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? fail(errno, "cannot open this network namespace: " OWN ": %s",
			     strerror(errno))
		      : fd;
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

int netns_inode(__u32 *inode)
{
	struct stat own;

	if (stat(OWN, &own))
		return fail(errno, "cannot read this network namespace: " OWN ": %s",
			    strerror(errno));
	*inode = (__u32)own.st_ino;
	return 0;
}
