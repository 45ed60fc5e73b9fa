/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tsw_from_port on a netkit pair, where the container's end transmits: it then runs in the sender's
 * context, and no queue is between. By a pinned link on each kernel that has netkit. What
 * attach.h says of repeating holds here.
 */
#ifndef TSW_ATTACH_NETKIT_H
#define TSW_ATTACH_NETKIT_H

#include "store/tsw.h"

/* IFINDEX: the host's end. */
int attach_netkit(struct tsw *t, __u32 ifindex);
int detach_netkit(struct tsw *t, __u32 ifindex);
bool attached_netkit(struct tsw *t, __u32 ifindex);

#endif
