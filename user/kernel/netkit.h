/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Constants of netkit devices, for rtnetlink and for attaching programs (Linux 6.7). The headers of
 * Debian 12 are older. In newer ones these are enumerators, which an #ifdef does not see, so these
 * macros take their place.
 */
#ifndef TSW_NETKIT_H
#define TSW_NETKIT_H

#include <linux/bpf.h>
#include <linux/if_link.h>

/* Of IFLA_INFO_DATA. */
#define IFLA_NETKIT_PEER_INFO 1
#define IFLA_NETKIT_PRIMARY 2
#define IFLA_NETKIT_PEER_POLICY 4
#define IFLA_NETKIT_MODE 5

#define NETKIT_L2 0
#define NETKIT_DROP 2 /* policy: drop frames that no program has seen */

/* Attaches where the container's end transmits; the target is the index of the host's end. */
#define NETKIT_PEER ((enum bpf_attach_type)55)

#endif
