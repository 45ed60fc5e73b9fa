/* SPDX-License-Identifier: GPL-2.0-only */
/* What the first octets of a frame tell, for people: MACs, addresses, ports. */
#ifndef TSW_DISSECT_H
#define TSW_DISSECT_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

struct layers {
	bool eth; /* what follows is known */
	struct tsw_mac src;
	struct tsw_mac dst;
	__u16 type; /* ethertype, the host's byte order; of what VLAN tags and SNAP carry, if any */
	bool ip;    /* also ARP: who asks for whom */
	struct tsw_addr from;
	struct tsw_addr to;
	bool has_proto;
	__u8 proto;
	bool ports;
	__u16 sport;
	__u16 dport;
};

struct dissected {
	bool outer; /* the frame is a tunnel's: `of` is what is in it, `way` what is around */
	struct layers of;
	struct layers way;
};

/*
 * LEN octets of a frame; cut off anywhere. A frame from or to one of the addresses in CONFIG that
 * has VXLAN, GRE or Geneve as the switch speaks it is a tunnel's, where TUNNEL says that it may be
 * one.
 */
void dissect(const __u8 *frame, size_t len, const struct tsw_config *config, bool tunnel,
	     struct dissected *d);

/* Words for those that have one, else the number: "tcp", "132"; "ipv4", "0x88cc". */
const char *ip_proto_text(__u8 proto);
const char *ethertype_text(__u16 type);

#endif
