/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaches tsw_from_port to the container's end of a netkit pair, where that end transmits. The
 * program then runs in the sender's context, without a queue in between. Links are pinned on every
 * kernel with netkit. All calls may be repeated.
 */
#ifndef TSW_ATTACH_NETKIT_H
#define TSW_ATTACH_NETKIT_H

#include "store/tsw.h"

/* IFINDEX is the index of the host's end. */
int attach_netkit(struct tsw *t, __u32 ifindex);
int detach_netkit(struct tsw *t, __u32 ifindex);
bool attached_netkit(struct tsw *t, __u32 ifindex);

#endif
