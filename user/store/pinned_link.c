// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/cleanup.h"
#include "store/pinned_link.h"

enum { CREATE_TRIES = 50 };

/* In the kernel's answer each kind of link has the device's index first; 0: no device any more. */
bool pinned_link_is_on(const char *path, __u32 ifindex)
{
	cleanup_close int fd = bpf_obj_get(path);
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	if (fd < 0)
		return errno == EROFS;
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || !info.xdp.ifindex)
		return false;
	return !ifindex || info.xdp.ifindex == ifindex;
}

void pinned_link_detach(const char *path)
{
	cleanup_close int fd = bpf_obj_get(path);

	if (fd >= 0)
		bpf_link_detach(fd); /* fails if the device is gone, and the link with it */
}

int pinned_link_remove(const char *path)
{
	pinned_link_detach(path);
	return unlink(path) && errno != ENOENT ? -errno : 0;
}

/*
 * Tries again while the program is attached by a link whose pin was removed just now: the kernel
 * detaches it a moment later.
 */
static int create(int prog, const struct link_target *target)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = target->flags);
	const struct timespec moment = {.tv_nsec = 10000000};
	int tries = CREATE_TRIES, fd;

	do
		fd = bpf_link_create(prog, (int)target->ifindex, target->type, &opts);
	while (fd == -EEXIST && --tries && !nanosleep(&moment, NULL));
	return fd;
}

int pinned_link_make(const char *path, int prog, const struct link_target *target)
{
	int err = pinned_link_remove(path);
	cleanup_close int fd = -1;

	if (err)
		return err;
	fd = create(prog, target);
	if (fd < 0)
		return fd;
	return bpf_obj_pin(fd, path) ? -errno : 0;
}

int pinned_link_adopt(const char *path, int prog, int link)
{
	cleanup_close int fd = link;
	int err = pinned_link_remove(path);

	err = err ?: bpf_link_update(fd, prog, NULL) ? -errno : 0;
	return err || !bpf_obj_pin(fd, path) ? err : -errno;
}
