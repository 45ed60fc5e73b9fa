// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "door/router_ns.h"
#include "kernel/netns.h"
#include "kernel/netns_move.h"
#include "kernel/nsid.h"

#define DIRECTORY "/run/netns"
#define NAME "tsw-gw"
#define OWN "/proc/thread-self/ns/net"

const char *router_ns_name(const char *instance)
{
	static _Thread_local char name[NAME_MAX];

	if (!strcmp(instance, "default"))
		return NAME;
	snprintf(name, sizeof(name), NAME ".%s", instance);
	return name;
}

static void path_of(const char *instance, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, DIRECTORY "/%s", router_ns_name(instance));
}

/* As iproute2 does, so that mounts below reach all mount namespaces, and unmounts too. */
static int share_directory(void)
{
	if (mkdir(DIRECTORY, 0755) && errno != EEXIST)
		return -errno;
	if (!mount("", DIRECTORY, "none", MS_SHARED | MS_REC, NULL))
		return 0;
	if (errno != EINVAL || mount(DIRECTORY, DIRECTORY, "none", MS_BIND | MS_REC, NULL) ||
	    mount("", DIRECTORY, "none", MS_SHARED | MS_REC, NULL))
		return -errno;
	return 0;
}

int router_ns_open(const char *instance)
{
	char path[PATH_MAX];
	int fd;

	path_of(instance, path);
	fd = netns_open(path);
	/* A killed command or a reboot leaves a file without a mount. */
	return fd == -EINVAL ? -ENOENT : fd;
}

/* The thread is in the new namespace for a moment. A kill before the mount leaves an empty file. */
static int mount_new(const char *path)
{
	const int cleanup_close own = netns_own();
	int err = 0;

	if (own < 0)
		return own;
	if (unshare(CLONE_NEWNET))
		return fail(errno, "cannot make a network namespace: %s", strerror(errno));
	if (mount(OWN, path, "none", MS_BIND, NULL))
		err = fail(errno, "cannot keep a network namespace as %s: %s", path,
			   strerror(errno));
	if (netns_return(own) && !err)
		err = -EIO;
	return err;
}

int router_ns_make(const char *instance)
{
	char path[PATH_MAX];
	int err, fd = router_ns_open(instance);

	if (fd >= 0)
		return close(fd);
	path_of(instance, path);
	err = share_directory();
	if (err)
		return fail(err, "cannot share " DIRECTORY ": %s%s", strerror(-err),
			    err == -EPERM ? " (run /usr/lib/tsw/tsw-router outside of the unit)"
					  : "");
	fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return fail(errno, "cannot make %s: %s", path, strerror(errno));
	close(fd);
	return mount_new(path);
}

int router_ns_remove(const char *instance)
{
	char path[PATH_MAX];

	path_of(instance, path);
	while (!umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW)) /* it may be mounted twice */
		;
	if (errno == EPERM) /* a unit's sandbox forbids it; `switch gc` removes it later */
		return 0;
	if (errno != EINVAL && errno != ENOENT)
		return fail(errno, "cannot unmount %s: %s", path, strerror(errno));
	if (unlink(path) && errno != ENOENT)
		return fail(errno, "cannot remove %s: %s", path, strerror(errno));
	return 0;
}

int router_ns_each(int (*fn)(const char *instance, void *data), void *data)
{
	DIR *dir = opendir(DIRECTORY);
	struct dirent *entry;
	int err = 0;

	while (dir && !err && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, NAME))
			err = fn("default", data);
		else if (!strncmp(entry->d_name, NAME ".", strlen(NAME ".")))
			err = fn(entry->d_name + strlen(NAME "."), data);
	}
	if (dir)
		closedir(dir);
	return err;
}

/* The kernel chooses the number, unless the namespace has one already. */
int router_ns_number(int fd, __s32 *nsid)
{
	int err = nsid_make(fd);

	if (!err || err == -EEXIST)
		err = nsid_get(fd, nsid);
	return err ? fail(err, "cannot number the router's network namespace: %s", strerror(-err))
		   : 0;
}
