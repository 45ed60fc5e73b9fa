/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's table of connections. */
#ifndef TSW_CONNTRACK_H
#define TSW_CONNTRACK_H

#include <tsw/abi.h>

#define CONNTRACK_INDEX 0xfff8ffffU /* mask of a mark of any class: one index' connections */
#define CONNTRACK_ALL 0xfff80000U   /* all of tenants */

/* Forgets the connections whose mark, under MASK, is MARK. */
int conntrack_forget(__u32 mark, __u32 mask);

/*
 * Those with this mark that began to that port; mark 0: at an address of this host, where no
 * mapping leads them on.
 */
int conntrack_forget_port(const struct tsw_publish_key *key, __u32 mark);

#endif
