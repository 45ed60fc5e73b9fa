/* SPDX-License-Identifier: GPL-2.0-only */
/* Red and blue let each other's networks in. */
#ifndef TSW_LAB_PEERS_H
#define TSW_LAB_PEERS_H

#include "packet.h"

/* Where both agree; their other addresses are the same ones, and stay each one's own. */
#define RED_NET "10.1.0.0"
#define RED_NET6 "fd01::"
#define BLUE_NET "10.2.0.0"
#define BLUE_NET6 "fd02::"
#define RED_IP "10.1.0.1" /* of A, as are those below */
#define RED_IP6 "fd01::1"
#define RED_TOO "10.1.0.2"
#define RED_C "10.1.0.3"
#define BLUE_IP "10.2.0.1"
#define BLUE_IP6 "fd02::1"
#define BLUE_C "10.2.0.3"
#define MAC_G2 "02:74:00:00:00:c8" /* of blue's gateway */

#define RED_TO_BLUE 0x101
#define BLUE_TO_RED 0x102
#define RED_TO_GREEN 0x103

/* Red's half is red's route, and blue's is blue's. */
void lab_peers_red_says(__u32 index);
void lab_peers_blue_says(__u32 index);
/* Their addresses; green and large have the same, and no peers. */
void lab_peers_addresses(void);
void lab_peers_both(void);
void lab_peers_behind_reds_a(const char *ip);
/* The command refuses it. */
void lab_peers_blues_behind_a(void);
void lab_peers_red_elsewhere(void);
void lab_peers_red_elsewhere_one_half(void);
void lab_peers_red_was_here(void);

#endif
