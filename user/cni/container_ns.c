// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/nsfs.h>
#include <sched.h>

#include "base/err.h"
#include "base/text.h"
#include "cni/container_ns.h"
#include "kernel/netns.h"
#include "kernel/netns_move.h"

int container_ns_open(struct cni *c)
{
	int fd = netns_open(c->netns);
	struct stat file;
	__u32 own = 0;
	int err;

	if (fd < 0 && fd != -EINVAL)
		return cni_code(c, CNI_NO_CONTAINER,
				fail(fd, "CNI_NETNS: cannot open %s: %s", quoted(c->netns),
				     strerror(-fd)));
	err = netns_inode(&own);
	if (!err && (fd < 0 || ioctl(fd, NS_GET_NSTYPE) != CLONE_NEWNET))
		err = cni_code(c, CNI_NO_CONTAINER,
			       fail(EINVAL, "CNI_NETNS: %s is not a network namespace",
				    quoted(c->netns)));
	if (!err && !fstat(fd, &file) && (__u32)file.st_ino == own)
		err = cni_code(c, CNI_BAD_ENV,
			       fail(EINVAL, "CNI_NETNS: %s is the host's own namespace",
				    quoted(c->netns)));
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

int container_ns_enter(struct cni *c)
{
	int home = netns_own(), err;

	if (home < 0)
		return home;
	err = netns_enter(c->netns);
	if (!err)
		return home;
	close(home);
	return cni_code(c, CNI_NO_CONTAINER, err);
}

int container_ns_leave(int home)
{
	const struct failure why = *failure();
	int err = netns_return(home);

	close(home);
	if (!err)
		fail_again(&why);
	return err;
}
