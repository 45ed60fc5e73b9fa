/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_BPF_PORT_H
#define TSW_BPF_PORT_H

#include <tsw/bpf/base.h>

TSW_HASH(tsw_ports, __u32, struct tsw_port);

/*
 * The one accessor whose key has no tenant: it is where a frame gets its tenant
 * from, and where a delivery proves that the port is the tenant's.
 */
static __always_inline struct tsw_port *port_get(__u32 ifindex)
{
	return bpf_map_lookup_elem(&tsw_ports, &ifindex);
}

#endif
