/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames made octet by octet, and outer headers read back. */
#ifndef TSW_TRACE_FRAME_H
#define TSW_TRACE_FRAME_H

#include <stdbool.h>

#include <tsw/abi.h>

/* In the order of the words of `proto`. */
enum trace_proto { TRACE_TCP, TRACE_UDP, TRACE_ICMP, TRACE_ARP, TRACE_ND, TRACE_RAW };

/* The longest IP packet, and what a tunnel puts before it. */
enum { TRACE_FRAME_MAX = 65535 + 128 };

enum { TRACE_ECHO_ID = 7450 };

/* Two octets that are aligned, and a frame behind them: then so are its IP headers. */
#define TRACE_ALIGN __attribute__((aligned(4)))

struct trace_frame {
	enum trace_proto proto;
	struct tsw_mac src, dst;
	struct tsw_addr sip, dip; /* none of RAW; of ARP and ND who asks for which */
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
/* UDP to the port of DHCP's servers, of either version: what is made is a client's request. */
bool trace_asks_dhcp(const struct trace_frame *f);
/* To the port of DNS: what is made is a query by UDP; of TCP it is a SYN. */
bool trace_asks_dns(const struct trace_frame *f);

/* Octets of IP and what follows it that such a frame has at least; and without being told. */
__u32 trace_frame_least(const struct trace_frame *f);
__u32 trace_frame_usual(const struct trace_frame *f);

/* OCTETS and LEN from the rest. */
void trace_frame_build(struct trace_frame *f);

/* Outer headers as O tells before what is in F; both Ethernet addresses given. */
void trace_frame_wrap(struct trace_frame *f, const struct trace_outer *o, const struct tsw_mac *dst,
		      const struct tsw_mac *src);

/* False: it begins with none that the switch makes. */
bool trace_outer_read(const __u8 *octets, __u32 len, struct trace_outer *o);

#endif
