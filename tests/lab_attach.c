// SPDX-License-Identifier: GPL-2.0-only
/* Programs attached to the bench's devices, and taken off again. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

#define ATTACHED_MAX 16

static struct {
	__u32 ifindex;
	bool xdp;
} attached[ATTACHED_MAX];
static int count;

static void done(__u32 ifindex, bool xdp, int err)
{
	if (err || count == ATTACHED_MAX) {
		fprintf(stderr, "# device %u: no program can be attached: %s\n", ifindex,
			strerror(-err));
		abort();
	}
	attached[count].ifindex = ifindex;
	attached[count++].xdp = xdp;
}

void lab_attach_xdp(__u32 ifindex, int fd)
{
	done(ifindex, true, bpf_xdp_attach(ifindex, fd, XDP_FLAGS_DRV_MODE, NULL));
}

void lab_attach_tc(__u32 ifindex, bool egress, int fd)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex,
		    .attach_point = egress ? BPF_TC_EGRESS : BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = fd);
	int err = bpf_tc_hook_create(&hook);

	/* The other direction's program may have brought it. */
	done(ifindex, false, err && err != -EEXIST ? err : bpf_tc_attach(&hook, &opts));
}

int lab_attach_port(__u32 ifindex, const char *dev)
{
	lab_attach_tc(ifindex, false, lab_program(FROM_PORT));
	return lab_tap(dev);
}

void lab_detach(void)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS);

	while (count > 0) {
		hook.ifindex = attached[--count].ifindex;
		if (attached[count].xdp)
			bpf_xdp_detach(hook.ifindex, XDP_FLAGS_DRV_MODE, NULL);
		else
			bpf_tc_hook_destroy(&hook);
	}
}
