// SPDX-License-Identifier: GPL-2.0-only
/* A container's own firewall, as simple as can be: it drops each frame. Compiled by the cases. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char _license[] SEC("license") = "GPL";

SEC("xdp")
int drop_all(struct xdp_md *frame)
{
	return XDP_DROP;
}
