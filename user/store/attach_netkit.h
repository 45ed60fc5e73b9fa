/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaches tsw_from_port where the container's end of a netkit pair transmits. It then runs in the
 * sender's context, without a queue in between. Uses a pinned link on each kernel with netkit. All
 * calls may be repeated.
 */
#ifndef TSW_ATTACH_NETKIT_H
#define TSW_ATTACH_NETKIT_H

#include "store/tsw.h"

/* IFINDEX: the host's end. */
int attach_netkit(struct tsw *t, __u32 ifindex);
int detach_netkit(struct tsw *t, __u32 ifindex);
bool attached_netkit(struct tsw *t, __u32 ifindex);

#endif
