/* SPDX-License-Identifier: GPL-2.0-only */
/* The other hosts: by index, and by the address of their VTEP. */
#ifndef TSW_BPF_CORE_HOST_H
#define TSW_BPF_CORE_HOST_H

#include "core/base.h"

TSW_HASH(tsw_hosts, __u32, struct tsw_host);
TSW_HASH(tsw_vteps, struct tsw_addr, __u32);

static __always_inline struct tsw_host *host_get(__u32 host)
{
	return bpf_map_lookup_elem(&tsw_hosts, &host);
}

/* Index of the host whose VTEP this is; 0: no host's. */
static __always_inline __u32 host_by_vtep(const struct tsw_addr *addr)
{
	__u32 *host = bpf_map_lookup_elem(&tsw_vteps, addr);

	return host ? *host : 0;
}

#endif
