/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the ABI that is about accounts of flows: who talked to whom, for tenants with `flows
 * on`. See abi.h, which has this.
 */
#ifndef TSW_ABI_FLOWS_H
#define TSW_ABI_FLOWS_H

#include <linux/bpf.h>

#include <tsw/abi.h>

#define TSW_FLOWS 16384		    /* records of a tenant by default */
#define TSW_FLOWS_LEAST 64	    /* the fewest that a tenant may have */
#define TSW_FLOWS_MOST (1U << 18)   /* the most */
#define TSW_FLOW_BUCKET 8	    /* records */
#define TSW_FLOW_BUCKETS (1U << 16) /* of all tenants together */

/*
 * tsw_flow_tables: tenant id -> its table. Its room exists before a frame is counted. So no tenant
 * pushes out another's records, and no program makes an entry of a map.
 */
struct tsw_flow_table {
	__u32 entries; /* as was asked for; 0: by default */
	__u32 buckets; /* of tsw_flow_cache, numbered from 0 on; 0: its flows are off */
	__u64 evicted; /* records that made room for others */
};

/* tsw_flow_cache. A record is in one of two buckets, which its flow's hash chooses. */
struct tsw_flow_bucket_key {
	__u32 tenant;
	__u32 bucket;
};

/* OUT: an endpoint here sent it. IN: to one here, from another host or the gateway. */
enum tsw_flow_way { TSW_FLOW_OUT, TSW_FLOW_IN };

/* In a verdict: only the policy's audit mode let it pass. */
#define TSW_FLOW_AUDITED (1U << 15)

/* The values that distinguish flows. */
struct tsw_flow_tuple {
	struct tsw_addr src;
	struct tsw_addr dst;
	__u32 ifindex;	/* of the port here that it came from or goes to; 0: it goes to all */
	__be16 sport;	/* ICMP: type and code, an octet each; of a fragment zero */
	__be16 dport;	/* zero where the protocol has none */
	__u16 verdict;	/* enum tsw_drop; 0: it went on, or was answered here; TSW_FLOW_AUDITED */
	__u8 version;	/* of IP: 4 or 6 */
	__u8 proto;	/* IPPROTO_* */
	__u8 direction; /* enum tsw_flow_way */
	__u8 pad[3];
};

struct tsw_flow_record {
	struct tsw_flow_tuple tuple;
	__u32 hash;		 /* of the tuple; 0: no record */
	struct tsw_mac src, dst; /* of the last frame */
	__u8 tcp_flags; /* all flags that were seen: RFC 9293 section 3.1, the second octet */
	__u8 pad[7];
	__u64 packets; /* as struct tsw_counter: segments of a super-frame, whole frames */
	__u64 bytes;
	__u64 first; /* CLOCK_MONOTONIC, ns */
	__u64 last;
};

struct tsw_flow_bucket {
	struct bpf_spin_lock lock;
	__u32 tenant; /* as in the key */
	struct tsw_flow_record record[TSW_FLOW_BUCKET];
};

_Static_assert(sizeof(struct tsw_flow_table) == 16, "ABI");
_Static_assert(sizeof(struct tsw_flow_tuple) == 48, "ABI");
_Static_assert(sizeof(struct tsw_flow_record) == 104, "ABI");
_Static_assert(sizeof(struct tsw_flow_bucket) == 840, "ABI");

#endif
