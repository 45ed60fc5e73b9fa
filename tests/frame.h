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
#define MAC_E "02:00:00:00:00:0e"
#define MAC_F "02:00:00:00:00:0f"
#define MAC_UNKNOWN "02:00:00:00:00:ee"
#define MAC_BROADCAST "ff:ff:ff:ff:ff:ff"
#define IP_A "10.0.0.1"
#define IP_B "10.0.0.2"
#define IP_C "10.0.0.3"
#define IP_D "10.0.0.4"
#define IP_E "10.0.0.5"
#define IP_F "10.0.0.6"
#define IP_UNKNOWN "10.0.0.99"
#define IP6_A "fd00::1"
#define IP6_B "fd00::2"
#define IP6_C "fd00::3"
#define IP6_D "fd00::4"
#define IP6_E "fd00::5"
#define IP6_F "fd00::6"
#define MAC_G "02:00:00:00:00:fe" /* the gateway's */
#define IP_G "10.0.0.254"
#define IP6_G "fd00::fe"
#define LL6_G "fe80::ff:fe00:fe"
/* The DNS service that answers a tenant without a gateway. */
#define IP_SERVICE "169.254.169.253"
#define IP6_SERVICE "fd00:ec2::253"
#define MAC_SERVICE "02:74:73:77:a9:fd"
#define LL6_A "fe80::ff:fe00:a" /* made from MAC_A: RFC 4291 appendix A */
#define LL6_B "fe80::ff:fe00:b"
#define LL6_C "fe80::ff:fe00:c"

/* The underlay: this host, the others, and what its devices are called. */
#define MAC_WIRE "02:00:00:00:01:01"
#define MAC_HOST2 "02:00:00:00:01:02"
#define MAC_HOST3 "02:00:00:00:01:03"
#define MAC_HOST4 "02:00:00:00:01:04"
#define MAC_HOST5 "02:00:00:00:01:05"
#define MAC_WIRE2 "02:00:00:00:01:11"
#define MAC_ROUTER "02:00:00:00:01:12" /* behind the second device */
#define MAC_NONE "00:00:00:00:00:00"
#define IP_WIRE "192.0.2.1"
#define IP_HOST2 "192.0.2.2"
#define IP_HOST3 "192.0.2.3"
#define IP_HOST5 "192.0.2.5"
#define IP_SILENT "192.0.2.4"	    /* a host whose MAC is not known yet */
#define IP_NO_ROUTE "198.51.100.5"  /* a host to which no route leads */
#define IP_STRAY "198.51.100.6"	    /* one to which a device leads that is no underlay */
#define IP_ROUTED "198.51.100.7"    /* one behind the router */
#define IP_TWO_WAYS "198.51.100.64" /* one to which two routes are equally good */
#define IP_STRANGER "192.0.2.66"    /* no host */
#define IP_ROUTER "203.0.113.2"
#define IP6_WIRE "2001:db8::1"
#define IP6_HOST2 "2001:db8::2"
#define IP6_HOST4 "2001:db8::4"
#define IP6_HOST5 "2001:db8::5"
#define IP6_SILENT "2001:db8::44"
#define IP6_NO_ROUTE "2001:db8:9::5"
#define IP6_STRAY "2001:db8:9::6"
#define IP6_ROUTED "2001:db8:9::7"
#define IP6_TWO_WAYS "2001:db8:9::40"
#define IP6_ROUTER "2001:db8:3::2"
#define IP6_STRANGER "2001:db8::66"
#define IP_WORLD "203.0.113.77" /* behind the gateways */
#define IP6_WORLD "2001:db8:77::1"

/* A checksum that the sender left to its device has the pseudo-header's sum in its place. */
enum csum { CSUM_NONE, CSUM_DONE, CSUM_LEFT };

/* Defaults: VXLAN over IPv4, IPv6 where the addresses are, to host 2 as the switch writes it. */
struct outer {
	const char *dst, *src; /* MACs */
	const char *from, *to; /* IPs */
	__u16 type;	       /* ethertype in place of the right one */
	__u8 tos, ttl, proto;
	__u16 frag;	       /* IPv4: in these bits flags and offset differ from DF alone */
	__u16 sport, dport;    /* sport 0: any of 49152..65535, where compared */
	__u32 flow;	       /* IPv6: label; 0: any, where compared */
	const char *options;   /* of IPv4, or IPv6 extension headers; hexadecimal */
	__u8 next;	       /* with IPv6 options: what the first of them is */
	bool gre, geneve;      /* in place of VXLAN */
	const char *tlvs;      /* Geneve: options, hexadecimal */
	__u32 vni;	       /* or GRE's key; 0: tenant red's */
	__u32 flip;	       /* these bits of the first word differ from what they should be */
	__u8 reserved;	       /* VXLAN and Geneve: the last octet */
	bool no_key, sequence; /* GRE: fields that are not there, and that are */
	bool routing;	       /* GRE: RFC 1701's, without entries */
	enum csum csum;	       /* of UDP or GRE */
	__u16 csum_lie;	       /* in these bits it is wrong */
	bool bad_sum;	       /* the IPv4 header's is wrong */
	__s16 ip_lie, udp_lie; /* added to the length fields */
	__u8 padding;	       /* octets behind the packet, as Ethernet pads */
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
	__u8 tcp_flags;	       /* 0: ACK */
	__u8 icmp_type, icmp_code;
	const char *rest;   /* of ICMP behind the checksum, hexadecimal; in RAW the payload */
	const char *target; /* of ND: an address behind rest */
	const char *tail;   /* of ND: options, hexadecimal */
	__u16 op;	    /* of ARP: 0: request */
	const char *sha, *tha;
	__u16 payload; /* octets of a pattern at the end */
	__s16 lie;     /* added to the IP length field */
	__u16 cut;     /* octets missing at the end */
	bool left;     /* the checksum of UDP or TCP is left to the device */
	const struct outer *outer;
};

void frame_build(const struct spec *s, struct frame *f);
size_t frame_inner_len(const struct spec *s);  /* without the outer headers */
size_t frame_outer_len(const struct outer *o); /* of the outer headers; 0 for NULL */
bool frame_is_v6(const struct outer *o);       /* the outer header */
bool frame_equal(const char *name, const struct frame *got, const struct frame *want);

void frame_mac(__u8 *to, const char *mac);
bool frame_ip(__u8 *to, const char *ip); /* 16 octets, IPv4 mapped; true: IPv6 */
void frame_put(struct frame *f, const void *octets, size_t len);
__u16 frame_checksum(const void *octets, size_t len, __u32 sum); /* as it stands in the frame */
__u32 frame_sum(const void *octets, size_t len, __u32 sum);

#endif
