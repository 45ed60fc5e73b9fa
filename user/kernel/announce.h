/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends frames that tell a network which MAC has an address. */
#ifndef TSW_ANNOUNCE_H
#define TSW_ANNOUNCE_H

#include <tsw/abi.h>

/*
 * Tells all on that device's network that MAC has ADDR from now on: by an ARP announcement (RFC
 * 5227 section 3), or an unsolicited neighbour advertisement with the override flag (RFC 4861
 * section 7.2.6). Returns -errno without message.
 */
int announce(__u32 ifindex, const struct tsw_mac *mac, const struct tsw_addr *addr);

#endif
