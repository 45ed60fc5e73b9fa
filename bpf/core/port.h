/* SPDX-License-Identifier: GPL-2.0-only */
/* Ports: the devices of this host behind which endpoints live, and whose they are. */
#ifndef TSW_BPF_CORE_PORT_H
#define TSW_BPF_CORE_PORT_H

#include "core/base.h"

TSW_HASH(tsw_ports, __u32, struct tsw_port);

/*
 * The ports' devices. The kernel removes a device from such a map when the device is deleted or
 * leaves the namespace. So a later device with the same ifindex gets no frame meant for it.
 */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} tsw_devices TSW_MAP;

/*
 * The one accessor whose key has no tenant. A frame gets its tenant here, and a delivery proves
 * here that the port is the tenant's.
 */
static __always_inline struct tsw_port *port_get(__u32 ifindex)
{
	return bpf_map_lookup_elem(&tsw_ports, &ifindex);
}

/* May a tenant's frame go out to this port? 0, or a drop reason. */
static __always_inline int port_check(const struct tsw_port *port, __u32 tenant, __u32 ifindex)
{
	/* An fdb entry alone opens nothing: the port must be the tenant's. */
	if (!port || port->tenant != tenant)
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	return bpf_map_lookup_elem(&tsw_devices, &ifindex) ? 0 : drop(TSW_DROP_DEVICE_GONE);
}

#endif
