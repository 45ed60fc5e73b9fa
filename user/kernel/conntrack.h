/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's table of connections. */
#ifndef TSW_CONNTRACK_H
#define TSW_CONNTRACK_H

#include <stddef.h>

#include <tsw/abi.h>

#define CONNTRACK_INDEX 0xfff8ffffU /* mask for the connections of one index, of any class */
#define CONNTRACK_ALL 0xfff80000U   /* mask for the connections of all tenants */

/* Deletes the connections whose mark under MASK is MARK. */
int conntrack_forget(__u32 mark, __u32 mask);

/*
 * Deletes connections with this mark that began to one of these ports. Mark 0: those to an address
 * of this host that no mapping translates. Reads the table once for each family.
 */
int conntrack_forget_ports(const struct tsw_publish_key *keys, size_t n, __u32 mark);

#endif
