/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tsw_xdp_pass at the host's end of a veth. What XDP in the container sends by XDP_TX or
 * XDP_REDIRECT comes by a ring that this end has only with an XDP program of the driver.
 */
#ifndef TSW_ATTACH_PASS_H
#define TSW_ATTACH_PASS_H

#include "store/tsw.h"

/* Leaves another's XDP program there, which serves as well. */
int attach_pass(struct tsw *t, __u32 ifindex);
int detach_pass(struct tsw *t, __u32 ifindex);
/* Whether the device has an XDP program, ours or another's. */
bool attached_pass(__u32 ifindex);

#endif
