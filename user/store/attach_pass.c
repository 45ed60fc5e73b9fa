// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "store/attach.h"
#include "store/attach_pass.h"
#include "store/pinned_link.h"
#include "store/pins.h"

static void pass_path(const struct tsw *t, __u32 ifindex, char path[PINS_PATH])
{
	char pin[32];

	snprintf(pin, sizeof(pin), "port-%u-xdp", ifindex);
	pin_path(path, t->instance, "links", pin);
}

bool attached_pass(__u32 ifindex)
{
	__u32 id = 0;

	return !bpf_xdp_query_id((int)ifindex, 0, &id) && id;
}

int attach_pass(struct tsw *t, __u32 ifindex)
{
	const struct link_target target = {ifindex, BPF_XDP, XDP_FLAGS_DRV_MODE};
	int fd = prog_fd(t, PROG_XDP_PASS), err;
	char path[PINS_PATH];

	if (fd < 0)
		return fd;
	if (attached_pass(ifindex))
		return 0;
	pass_path(t, ifindex, path);
	err = pinned_link_make(path, fd, &target);
	if (err)
		return fail(err, "cannot attach %s to device %u: %s", prog_name(PROG_XDP_PASS),
			    ifindex, strerror(-err));
	detail(&t->log, "attached %s to device %u", prog_name(PROG_XDP_PASS), ifindex);
	return 0;
}

int detach_pass(struct tsw *t, __u32 ifindex)
{
	char path[PINS_PATH];

	pass_path(t, ifindex, path);
	if (pinned_link_remove(path))
		return fail(errno, "cannot remove %s: %s", path, strerror(errno));
	return 0;
}
