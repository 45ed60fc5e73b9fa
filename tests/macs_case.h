/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of packet_macs and packet_macs_to. */
#ifndef TSW_MACS_CASE_H
#define TSW_MACS_CASE_H

#include "lab_macs.h"

#define SPOOFED_IP .drop = TSW_DROP_SPOOFED_IP
#define SPOOFED_MAC .drop = TSW_DROP_SPOOFED_MAC
#define ANSWERED .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED)
#define OUT .out = &(const struct spec)
#define ARP .kind = KIND_ARP
#define REPLY .kind = KIND_ARP, .op = 2, .dst = MAC_B, .tha = MAC_B
#define ND .kind = KIND_ICMP, .ttl = 255
#define NA ND, .icmp_type = 136, .rest = "20000000", .dst = MAC_B, .to = IP6_B, .target = IP6_I

struct macs_case {
	struct packet_case c;
	const char *ip, *mac; /* behind which MAC IP is afterwards; NULL: it is not known */
};

/* Each case twice: what becomes of the frame, and where its address is then. */
int macs_main(const char *name, const struct macs_case *cases, size_t n);

#endif
