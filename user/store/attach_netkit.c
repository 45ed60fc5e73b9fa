// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "kernel/netkit.h"
#include "store/attach.h"
#include "store/attach_netkit.h"
#include "store/pinned_link.h"
#include "store/pins.h"

static void netkit_path(const struct tsw *t, __u32 ifindex, char path[PINS_PATH])
{
	char pin[32];

	snprintf(pin, sizeof(pin), "port-%u-peer", ifindex);
	pin_path(path, t->instance, "links", pin);
}

/* Checks only that the link has a device: it is the container's end, whose index is unknown. */
bool attached_netkit(struct tsw *t, __u32 ifindex)
{
	char path[PINS_PATH];

	netkit_path(t, ifindex, path);
	return pinned_link_is_on(path, 0) && prog_runs_at(t, PROG_FROM_PORT, ifindex, NETKIT_PEER);
}

int attach_netkit(struct tsw *t, __u32 ifindex)
{
	const struct link_target target = {ifindex, NETKIT_PEER, 0};
	int fd = prog_fd(t, PROG_FROM_PORT), err;
	char path[PINS_PATH];

	if (fd < 0)
		return fd;
	if (attached_netkit(t, ifindex))
		return 0;
	netkit_path(t, ifindex, path);
	err = pinned_link_make(path, fd, &target);
	if (err)
		return fail(err, "cannot attach %s to the other end of device %u: %s",
			    prog_name(PROG_FROM_PORT), ifindex, strerror(-err));
	detail(&t->log, "attached %s to the other end of device %u", prog_name(PROG_FROM_PORT),
	       ifindex);
	return 0;
}

int detach_netkit(struct tsw *t, __u32 ifindex)
{
	char path[PINS_PATH];

	netkit_path(t, ifindex, path);
	if (pinned_link_remove(path))
		return fail(errno, "cannot remove %s: %s", path, strerror(errno));
	return 0;
}
