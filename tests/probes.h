/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions whether a host is alive, and their answers. Each is made from a frame of the right
 * length, into which BFD's own octets are put.
 */
#ifndef TSW_TESTS_PROBES_H
#define TSW_TESTS_PROBES_H

#include "packet.h"

#define MAC_BFD "00:00:5e:00:52:02"
#define LOOP4 "127.0.0.1"
#define LOOP6 "::ffff:127.0.0.1"
#define BFD_LEN 24
#define UDP_LEN 8
#define BAD .drop = TSW_DROP_BAD_PROBE, .tenant = NOBODY

/* Its O bit: for the tunnel's end itself. */
#define GENEVE_PROBE .geneve = true, .flip = 0x00800000

#define Q4(...)                                                                      \
	.dst = MAC_BFD, .src = MAC_HOST2, .from = IP_HOST2, .to = LOOP4, .ttl = 255, \
	.sport = 49200, .dport = 7784, .payload = BFD_LEN, __VA_ARGS__
#define Q6(...) Q4(.from = IP6_HOST2, .to = LOOP6, __VA_ARGS__)
#define ASK(header, ...) .program = FROM_WIRE, .in = {Q4(.outer = &(header), ##__VA_ARGS__)}
#define ASK6(header, ...) .program = FROM_WIRE, .in = {Q6(.outer = &(header), ##__VA_ARGS__)}
#define ANSWERED .verdict = REDIRECTED, .make = probe_answer, .priority_out = PASS_DOWN

/* Where these are; octets of BFD. */
size_t probe_ip_len(const struct frame *f);
bool probe_is_gre(const struct frame *f);
size_t probe_id_at(const struct frame *f);
size_t probe_ip_at(const struct frame *f); /* the inner one */
size_t probe_udp_at(const struct frame *f);
__u8 *probe_bfd(struct frame *f);

void probe_put32(__u8 *at, __u32 v);
void probe_sum_udp(struct frame *f); /* its checksum, with the addresses that are there */
void probe_id_0(struct frame *f);

/* F becomes a question to this host; OUT the answer to IN. */
void probe_ask(struct frame *f);
void probe_answer(const struct frame *in, struct frame *out);

#endif
