/* SPDX-License-Identifier: GPL-2.0-only */
/* The KEY VALUE words of a command, read into one structure. */
#ifndef TSW_WORDS_H
#define TSW_WORDS_H

#include <stdbool.h>

#include <jansson.h>

#include <tsw/abi.h>

#include "base/parse.h"
#include "record/endpoint_find.h"

/* One bit for each key: which were given, which a command takes and needs. */
#define W_TENANT (1ULL << 0)
#define W_HOST (1ULL << 1)
#define W_DEV (1ULL << 2)
#define W_MAC (1ULL << 3)
#define W_IP (1ULL << 4)
#define W_ID (1ULL << 5)
#define W_ENCAP (1ULL << 6)
#define W_MTU (1ULL << 7)
#define W_BROADCAST (1ULL << 8)
#define W_FORCE (1ULL << 9)
#define W_LOCAL (1ULL << 10)
#define W_HOST_NAME (1ULL << 11)
#define W_PORT (1ULL << 12)
#define W_XDP (1ULL << 13)
#define W_ATTACH (1ULL << 14)
#define W_MAX_ENDPOINTS (1ULL << 15)
#define W_MAX_TENANTS (1ULL << 16)
#define W_DEVS (1ULL << 17)
#define W_CIDR (1ULL << 18)
#define W_NAT (1ULL << 19)
#define W_SNAT (1ULL << 20)
#define W_DRAIN (1ULL << 21)
#define W_DROPS (1ULL << 22)
#define W_COUNT (1ULL << 23)
#define W_ENDPOINT (1ULL << 24)
#define W_WRITE (1ULL << 25)
#define W_PROTO (1ULL << 26)
#define W_TO (1ULL << 27)
#define W_WITH (1ULL << 28)
#define W_PREFIX (1ULL << 29)
#define W_FROM (1ULL << 30)
#define W_AIM (1ULL << 31)
#define W_FRAME (1ULL << 32)
#define W_LENGTH (1ULL << 33)
#define W_RATE_OUT (1ULL << 34)
#define W_RATE_IN (1ULL << 35)
#define W_BURST (1ULL << 36)
#define W_LIMITS (W_RATE_OUT | W_RATE_IN | W_BURST)
#define W_CONNECTIONS (1ULL << 37)
#define W_TENANTS (1ULL << 38)
#define W_INTERVAL (1ULL << 39)
#define W_PLACE_HOSTS (1ULL << 40)
#define W_WEIGHT (1ULL << 41)
#define W_LOAD (1ULL << 42)
#define W_CENTRAL (1ULL << 43)
#define W_SPREAD (1ULL << 44)
#define W_APPLY (1ULL << 45)
#define W_RATE (1ULL << 54)
#define W_SNAPLEN (1ULL << 55)
#define W_DRY_RUN (1ULL << 50)
#define W_WAIT (1ULL << 46)
#define W_MISSING (1ULL << 47)
#define W_KNOWN (1ULL << 48)
#define W_HALF_OPEN (1ULL << 49)
#define W_NAME (1ULL << 63) /* the NAME behind the verb, which has no key */

#define NO_HOST "none" /* as the value of `host` */

enum { MTU_MIN = 576, MTU_MAX = 65535 }; /* RFC 791: what every IPv4 host takes */
enum { MAX_ENDPOINTS_MOST = 1 << 24, MAX_TENANTS_MOST = 1 << 20 };

struct words {
	__u64 given; /* W_*; what was not given is zero */
	struct tsw_name name;
	const char *file; /* in place of a name */
	struct tsw_name tenant;
	struct tsw_name host;
	struct tsw_name host_name;
	const char *dev;
	const char *devs[TSW_UNDERLAYS];
	unsigned int n_devs;
	const char *id_text; /* its range depends on encap */
	__u32 id;
	__u32 encap; /* enum tsw_encap */
	__u32 mtu;
	__u32 broadcast;
	__u32 force;
	__u32 dry_run;
	__u32 port;
	__u32 xdp;
	__u32 attach;
	__u32 max_endpoints;
	__u32 max_tenants;
	struct tsw_mac mac;
	struct tsw_addr local[TSW_FAMILIES]; /* zero: none of this family */
	struct tsw_addr ip[ENDPOINT_IPS];
	unsigned int n_ip;
	struct tsw_prefix cidr[TSW_GATEWAY_ADDRS];
	unsigned int n_cidr;
	__u32 nat;
	__u32 drain;			    /* seconds */
	struct tsw_addr snat[TSW_FAMILIES]; /* zero: none of this family */
	char *const *all; /* every KEY VALUE, for a command that reads lists of its own from it */
	__u32 proto;	  /* PROTO_* */
	struct target to;
	struct tsw_name with;
	struct tsw_prefix prefix[TSW_GATEWAY_ADDRS];
	unsigned int n_prefixes;
	__u64 rate_out; /* bits a second; 0: none */
	__u64 rate_in;
	__u32 burst;	   /* octets; 0: none */
	__u32 connections; /* TSW_FAIR_NONE: none */
	__u32 half_open;
	struct tsw_name endpoint;
	const char *write; /* a file */
	__u32 count;
	__u32 rate; /* of events, in a second */
	__u32 snaplen;
	struct tsw_name from;
	const char *aim; /* an endpoint, MAC or IP */
	__u32 frame;	 /* enum trace_proto */
	__u32 length;	 /* octets of the IP packet */
	__u32 tenants;	 /* metrics of each */
	__u32 interval;	 /* seconds */
	__u32 wait;	 /* seconds */
	__u32 missing;
	const char *known; /* a file */
};

/* Reads KEY VALUE ... up to NULL; TAKES says which keys the command knows. */
int words_read(char *const *word, __u64 takes, struct words *w);

/* A key of those in TAKES that stands alone, without a value. */
bool words_is_flag(const char *word, __u64 takes);

/* The first of the keys in MASK. */
const char *words_key(__u64 mask);

/* The keys in TAKES, for programs: [{"key", "kind", "needed", "list", ...}]. */
json_t *words_json(__u64 takes, __u64 needs);

#endif
