/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames that tell a network who has an address, sent as they are. */
#ifndef TSW_ANNOUNCE_H
#define TSW_ANNOUNCE_H

#include <tsw/abi.h>

/*
 * To all on that device's network: ADDR is at MAC from now on. An ARP announcement (RFC 5227
 * section 3), or an unsolicited neighbour advertisement with the override flag (RFC 4861 section
 * 7.2.6). Returns -errno without message.
 */
int announce(__u32 ifindex, const struct tsw_mac *mac, const struct tsw_addr *addr);

#endif
