/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the IP Flow Information Export protocol (RFC 7011): messages with templates and flows, for
 * a transport that keeps messages apart.
 */
#ifndef TSW_TOOLS_FLOWS_IPFIX_H
#define TSW_TOOLS_FLOWS_IPFIX_H

#include <stddef.h>

#include <tsw/abi.h>

enum {
	IPFIX_MOST = 1400, /* octets of a message */
	IPFIX_LEAST = 512, /* if the path's MTU is not known: RFC 7011 section 10.3.3 */
};

/* flowEndReason. */
enum { IPFIX_ACTIVE_TIMEOUT = 2, IPFIX_FORCED_END = 4 };

struct ipfix_flow {
	__u32 tenant; /* id */
	const struct tsw_flow_record *record;
	__u64 packets;	  /* since the last report */
	__u64 bytes;	  /* of whole frames */
	__u64 start, end; /* milliseconds since 1970 */
	__u8 reason;
};

struct ipfix {
	__u32 domain; /* observation domain */
	size_t most;  /* octets of a message, IPFIX_LEAST to IPFIX_MOST */
	int (*send)(void *context, const void *octets, size_t len);
	void *context;

	/* Kept by the functions below. */
	__u32 sequence; /* of data records in the messages before this one */
	__u32 records;	/* in this one */
	__u32 time;	/* seconds since 1970 */
	__u16 set;	/* id of the open set; 0: none */
	size_t set_at;
	size_t used; /* 0: no message has begun */
	__u8 data[IPFIX_MOST];
};

/*
 * All return 0 or what `send` returned. Each export begins with the templates, because a collector
 * may have missed earlier ones by UDP (RFC 7011 section 8.4).
 */
int ipfix_begin(struct ipfix *x, __u32 time);
int ipfix_add(struct ipfix *x, const struct ipfix_flow *flow);
int ipfix_end(struct ipfix *x); /* sends the rest */

#endif
