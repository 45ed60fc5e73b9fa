/* SPDX-License-Identifier: GPL-2.0-only */
/* The lab's addresses that move between endpoints. */
#ifndef TSW_LAB_VIP_H
#define TSW_LAB_VIP_H

#include "lab.h"

#define LAB_VIP "10.0.0.100"
#define LAB_VIP6 "fd00::100"

struct tsw_addr_key lab_vip_key(__u32 tenant, const char *ip);
/* The endpoint with that MAC may take both. */
void lab_vip_member(__u32 tenant, const char *mac, const char *ip, const char *ip6);
/* MAC: the endpoint that has the vip; NULL: nobody. */
void lab_vip(__u32 tenant, const char *ip, const char *mac);
/*
 * MAC has LAB_VIP and LAB_VIP6, in both tenants, of which A, B and C are members, and N is not.
 * Nobody else hears of it, as in packet_move.c.
 */
void lab_vip_had_by(const char *mac);
/* The same as setups of packet_case. */
void lab_vip_nobody(void);
void lab_vip_a(void);
void lab_vip_b(void);

#endif
