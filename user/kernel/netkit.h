/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What netkit devices are told and tell by rtnetlink, and where programs are put on them. Linux
 * 6.7; the headers of Debian 12 are older, and in newer ones these are enumerators, which an #ifdef
 * does not see: so they have their names here as macros, in their place.
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
#define NETKIT_DROP 2 /* of a policy: what no program has seen goes nowhere */

/* Runs where the container's end transmits; it is told by the index of the host's end. */
#define NETKIT_PEER ((enum bpf_attach_type)55)

#endif
