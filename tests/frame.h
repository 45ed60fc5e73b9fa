/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames for the tests, made from words: what a field does not say has a default.
 * Written from the RFCs and without the switch's own headers, so that the two can
 * disagree.
 */
#ifndef TSW_TESTS_FRAME_H
#define TSW_TESTS_FRAME_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define FRAME_MAX 4096

struct frame {
	size_t len;
	__u8 b[FRAME_MAX];
};

/* The addresses of the tests. Both tenants use the same ones, that is the point. */
#define MAC_A "02:00:00:00:00:0a"
#define MAC_B "02:00:00:00:00:0b"
#define MAC_C "02:00:00:00:00:0c"
#define MAC_D "02:00:00:00:00:0d"
#define MAC_UNKNOWN "02:00:00:00:00:ee"
#define MAC_BROADCAST "ff:ff:ff:ff:ff:ff"
#define IP_A "10.0.0.1"
#define IP_B "10.0.0.2"
#define IP_C "10.0.0.3"
#define IP_D "10.0.0.4"
#define IP_UNKNOWN "10.0.0.99"
#define IP6_A "fd00::1"
#define IP6_B "fd00::2"
#define IP6_C "fd00::3"
#define IP6_D "fd00::4"
#define LL6_A "fe80::ff:fe00:a" /* made from MAC_A: RFC 4291 appendix A */
#define LL6_B "fe80::ff:fe00:b"
#define LL6_C "fe80::ff:fe00:c"

/* The underlay: this host, the others, and what its device is called. */
#define MAC_WIRE "02:00:00:00:01:01"
#define MAC_HOST2 "02:00:00:00:01:02"
#define MAC_HOST3 "02:00:00:00:01:03"
#define MAC_NONE "00:00:00:00:00:00"
#define IP_WIRE "192.0.2.1"
#define IP_HOST2 "192.0.2.2"
#define IP_HOST3 "192.0.2.3"
#define IP_SILENT "192.0.2.4"	   /* a host whose MAC is not known yet */
#define IP_NO_ROUTE "198.51.100.5" /* a host to which no route leads */
#define IP_STRANGER "192.0.2.66"   /* no host */

/* VXLAN over IPv4; defaults: from this host to host 2, as the switch writes it. */
struct outer {
	const char *dst, *src; /* MACs */
	const char *from, *to; /* IPs */
	__u16 type;	       /* ethertype in place of IPv4's */
	__u8 tos, ttl, proto;
	__u16 frag;	       /* in these bits flags and offset differ from DF alone */
	__u16 sport, dport;    /* sport 0: any of 49152..65535, where compared */
	const char *options;   /* of IPv4, hexadecimal */
	__u32 vni;	       /* 0: tenant red's */
	__u32 flip;	       /* these bits of the first word differ from what they should be */
	__u8 reserved;	       /* the last octet */
	bool csum;	       /* a UDP checksum is there */
	bool bad_sum;	       /* the IPv4 header's is wrong */
	__s16 ip_lie, udp_lie; /* added to the length fields */
};

enum kind { KIND_UDP, KIND_TCP, KIND_ICMP, KIND_ARP, KIND_RAW };

/* A frame; defaults: UDP from A to B, IPv6 where the addresses are. */
struct spec {
	enum kind kind;
	const char *dst, *src; /* MACs */
	const char *from, *to; /* IPs; in ARP the sender's and the target's */
	__u16 type;	       /* ethertype in place of the right one */
	__u8 tos, proto;       /* proto: in place of the right one */
	__u8 ttl;	       /* 0: 64 */
	__u16 frag;	       /* IPv4: flags and offset */
	__u16 id;	       /* IPv4 */
	__u32 flow;	       /* IPv6: label */
	const char *ext;       /* IPv4 options, or IPv6 extension headers; hexadecimal */
	__u8 next;	       /* with IPv6 ext: what the first of them is */
	__u16 sport, dport;    /* 0: 1000 and 2000 */
	__u8 icmp_type, icmp_code;
	const char *rest;   /* of ICMP behind the checksum, hexadecimal; in RAW the payload */
	const char *target; /* of ND: an address behind rest */
	const char *tail;   /* of ND: options, hexadecimal */
	__u16 op;	    /* of ARP: 0: request */
	const char *sha, *tha;
	__u16 payload; /* octets of a pattern at the end */
	__s16 lie;     /* added to the IP length field */
	__u16 cut;     /* octets missing at the end */
	const struct outer *outer;
};

void frame_build(const struct spec *s, struct frame *f);
size_t frame_inner_len(const struct spec *s); /* without the outer headers */
bool frame_equal(const char *name, const struct frame *got, const struct frame *want);

void frame_mac(__u8 *to, const char *mac);
bool frame_ip(__u8 *to, const char *ip); /* 16 octets, IPv4 mapped; true: IPv6 */
void frame_put(struct frame *f, const void *octets, size_t len);
__u16 frame_checksum(const void *octets, size_t len, __u32 sum); /* as it stands in the frame */
__u32 frame_sum(const void *octets, size_t len, __u32 sum);

#endif
