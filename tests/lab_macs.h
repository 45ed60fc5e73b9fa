/* SPDX-License-Identifier: GPL-2.0-only */
/* The lab's MACs behind the port of A, which has `macs N`. */
#ifndef TSW_LAB_MACS_H
#define TSW_LAB_MACS_H

#include "packet.h"

/* Behind A. */
#define MAC_I "02:00:00:00:11:01"
#define MAC_J "02:00:00:00:11:02"
#define MAC_K "02:00:00:00:11:03"
#define HEX_A "02000000000a"
#define HEX_B "02000000000b"
#define HEX_I "020000001101"
#define IP_I "10.0.0.11" /* further addresses of A */
#define IP6_I "fd00::11"

const struct tsw_fdb_key *lab_macs_key(void);
struct tsw_inner lab_macs(void);
/* CLOCK_MONOTONIC, in nanoseconds. */
__u64 lab_seconds_ago(__u64 n);

/* `macs N` for A, which has more addresses. */
void lab_macs_may(__u32 n);
void lab_macs_may_two(void);
/* I and J have the places, and were seen N seconds ago. */
void lab_macs_full(__u64 n);
/* A frame of A's port, of that MAC. */
void lab_macs_send(const char *mac, const struct spec *what);
/* I shows that it has IP_I and IP6_I. */
void lab_macs_i_has_it(void);
/* Where an address is; NULL: it is not known. */
const struct tsw_inner_addr *lab_macs_find(const struct tsw_inner *inner, const char *ip);

#endif
