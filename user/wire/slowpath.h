/* SPDX-License-Identifier: GPL-2.0-only */
/* The slow path: the kernel's tunnel devices with the switch's program on them. */
#ifndef TSW_SLOWPATH_H
#define TSW_SLOWPATH_H

#include "store/tsw.h"

/*
 * Makes or repairs the devices for the present local addresses. Sets tunnel, gre, geneve and
 * TSW_CFG_SLOW_PATH in the configuration, which the caller writes.
 */
int slowpath_mend(struct tsw *t);

#endif
