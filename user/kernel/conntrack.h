/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's table of connections. */
#ifndef TSW_CONNTRACK_H
#define TSW_CONNTRACK_H

#include <stddef.h>

#include <tsw/abi.h>

#define CONNTRACK_INDEX 0xfff8ffffU /* mask of a mark of any class: one index' connections */
#define CONNTRACK_ALL 0xfff80000U   /* all of tenants */

/* Forgets the connections whose mark, under MASK, is MARK. */
int conntrack_forget(__u32 mark, __u32 mask);

/*
 * Those with this mark that began to one of these ports; mark 0: at an address of this host, where
 * no mapping leads them on. The table is read once for each family of them.
 */
int conntrack_forget_ports(const struct tsw_publish_key *keys, size_t n, __u32 mark);

#endif
