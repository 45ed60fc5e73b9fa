/* SPDX-License-Identifier: GPL-2.0-only */
/* An address that is kept for somebody who will soon ask for it. */
#ifndef TSW_CLUSTER_RESERVE_H
#define TSW_CLUSTER_RESERVE_H

#include <tsw/object.h>

#include "cluster/record.h"

/*
 * A free address of NET, or ADDR where that is not zero, rests from now on as if it had just been
 * given up, `rest/ID/ADDRESS`: no member's `auto` takes it before that lease ends, while whoever
 * asks for it by number gets it. No two members choose the same. -EEXIST: somebody has it.
 */
int cluster_reserve(struct records *r, const struct tsw_name *tenant, const struct tsw_prefix *net,
		    struct tsw_addr *addr);

#endif
