/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes frames octet by octet, and reads outer headers back. */
#ifndef TSW_TRACE_FRAME_H
#define TSW_TRACE_FRAME_H

#include <stdbool.h>

#include <tsw/abi.h>

/* In the order of the words of `proto`. */
enum trace_proto { TRACE_TCP, TRACE_UDP, TRACE_ICMP, TRACE_ARP, TRACE_ND, TRACE_RAW };

/* The longest IP packet with the headers of a tunnel. */
enum { TRACE_FRAME_MAX = 65535 + 128 };

enum { TRACE_ECHO_ID = 7450 };

/* Two octets in front of a frame align its IP headers. */
#define TRACE_ALIGN __attribute__((aligned(4)))

struct trace_frame {
	enum trace_proto proto;
	struct tsw_mac src, dst;
	struct tsw_addr sip, dip; /* not of RAW; of ARP and ND who asks, and for which */
	__u16 sport, dport;	  /* of TCP and UDP */
	__u32 l3_len;		  /* octets behind the Ethernet header */
	__u32 len;
	__u8 align[2] TRACE_ALIGN;
	__u8 octets[TRACE_FRAME_MAX];
};

struct trace_outer {
	bool there;
	enum tsw_encap encap;
	enum tsw_family family;
	struct tsw_addr src, dst;
	__u32 id; /* VNI or key */
	__u16 sport, dport;
	__u32 label;
	__u8 tos, ttl;
	bool df;
	__u32 len; /* octets of headers, the Ethernet header too */
};

bool trace_is_ip(const struct trace_frame *f);
bool trace_is_group(const struct tsw_mac *mac);
/* UDP to the port of DHCP servers of either version: the frame is a client's request. */
bool trace_asks_dhcp(const struct trace_frame *f);
/* To the port of DNS: the frame is a query by UDP, or a SYN of TCP. */
bool trace_asks_dns(const struct trace_frame *f);

/* The least and the default number of octets behind the Ethernet header of such a frame. */
__u32 trace_frame_least(const struct trace_frame *f);
__u32 trace_frame_usual(const struct trace_frame *f);

/* Sets `octets` and `len` from the other fields. */
void trace_frame_build(struct trace_frame *f);

/* Puts outer headers in front of the frame: O, and an Ethernet header from SRC to DST. */
void trace_frame_wrap(struct trace_frame *f, const struct trace_outer *o, const struct tsw_mac *dst,
		      const struct tsw_mac *src);

/* False: the frame does not begin with outer headers that the switch writes. */
bool trace_outer_read(const __u8 *octets, __u32 len, struct trace_outer *o);

#endif
