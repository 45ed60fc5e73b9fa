/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bench of encryption: devices of packets stand for the kernel's WireGuard. What the programs
 * send there would be encrypted, what is written there has been.
 *
 *	tun   own key of parity 0, the others' too
 *	tun2  the others' of parity 1
 *
 * Programs are attached to the ports of each tenant's A, to the wire and to these.
 */
#ifndef TSW_TESTS_CRYPTS_H
#define TSW_TESTS_CRYPTS_H

#include "packet.h"

#define WAIT_MS 2000
#define QUIET_MS 50 /* for what must not come */
#define RAW(mac) .kind = KIND_RAW, .type = 0x88b5, .dst = mac, .payload = 50
#define FROM_C .src = MAC_C, .from = IP_C, .dst = MAC_A, .to = IP_A
#define FROM6_C .src = MAC_C, .from = IP6_C, .dst = MAC_A, .to = IP6_A

extern int red, green, large, violet, wire, tun, tun2; /* taps and devices */
extern struct tsw_crypt cryptor;		       /* written by crypt_set() */

void crypt_set(void);
void host_flags(__u32 id, __u16 flags);
int set_up(void **state);
int tear_down(void **state);
void say(int tap, const struct spec *spec);
void adopted(const struct frame *got, const struct outer *outer, const struct spec *inner);
bool read_packet(int fd, int wait_ms, const struct frame *link, struct frame *f);
void expect_packet(int fd, const struct spec *inner, const struct outer *outer);
void expect_frame(int tap, const struct spec *spec);
void expect_nothing(void);
__u64 dropped(__u32 tenant, enum tsw_drop reason, enum tsw_direction direction);
int tap_of(__u32 tenant);
void write_packet(int fd, const struct frame *f);
void arrives(int fd, const struct spec *spec);
int agent(void);
bool hears(int fd);

#endif
