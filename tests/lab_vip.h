/* SPDX-License-Identifier: GPL-2.0-only */
/* The lab's addresses that move between endpoints. */
#ifndef TSW_LAB_VIP_H
#define TSW_LAB_VIP_H

#include "lab.h"

struct tsw_addr_key lab_vip_key(__u32 tenant, const char *ip);
/* The endpoint with that MAC may take both. */
void lab_vip_member(__u32 tenant, const char *mac, const char *ip, const char *ip6);
/* MAC: the endpoint that has the vip; NULL: nobody. */
void lab_vip(__u32 tenant, const char *ip, const char *mac);

#endif
