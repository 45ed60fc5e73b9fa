/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads MACs, addresses and ports from the first octets of a frame, to show them to people. */
#ifndef TSW_DISSECT_H
#define TSW_DISSECT_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

struct layers {
	bool eth; /* the next fields, up to `ip`, are known */
	struct tsw_mac src;
	struct tsw_mac dst;
	__u16 type; /* ethertype inside VLAN tags and SNAP, in the host's byte order */
	bool ip;    /* FROM and TO are known; for ARP they are the asking and the asked address */
	struct tsw_addr from;
	struct tsw_addr to;
	bool has_proto;
	__u8 proto;
	bool ports;
	__u16 sport;
	__u16 dport;
};

struct dissected {
	bool outer; /* a tunnel frame: `of` is the inner frame, `way` the outer headers */
	struct layers of;
	struct layers way;
};

/*
 * Reads the first LEN octets of a frame. If TUNNEL is set, a frame from or to an address of CONFIG
 * with VXLAN, GRE or Geneve as the switch uses them counts as a tunnel frame.
 */
void dissect(const __u8 *frame, size_t len, const struct tsw_config *config, bool tunnel,
	     struct dissected *d);

/* A word or, for unknown ones, the number: "tcp", "132"; "ipv4", "0x88cc". */
const char *ip_proto_text(__u8 proto);
const char *ethertype_text(__u16 type);

#endif
