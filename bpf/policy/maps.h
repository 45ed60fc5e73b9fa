/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant's policy: its maps (see abi_policy.h), and the memory in which a frame is judged. */
#ifndef TSW_BPF_POLICY_MAPS_H
#define TSW_BPF_POLICY_MAPS_H

#include "core/config.h"
#include "core/drop.h"
#include "core/parse.h"

TSW_HASH(tsw_policies, __u32, struct tsw_policy);
TSW_HASH(tsw_policy_groups, struct tsw_policy_name, __u32);
TSW_HASH(tsw_policy_members, struct tsw_fdb_key, struct tsw_policy_member);
TSW_HASH(tsw_policy_rules, struct tsw_policy_name, struct tsw_policy_rule);
TSW_HASH(tsw_policy_ways, struct tsw_policy_way_key, struct tsw_policy_way);
TSW_HASH(tsw_policy_conns, struct tsw_policy_conn_key, struct tsw_policy_bucket);
TSW_PERCPU_HASH(tsw_policy_hits, struct tsw_policy_hit_key, struct tsw_counter);

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct tsw_policy_cidr_key);
	__type(value, struct tsw_policy_cidr);
} tsw_policy_cidrs TSW_MAP;

#define POLICY_BUCKETS 3 /* buckets that a connection may be in; the last one is the spare */
#define POLICY_SPARE (POLICY_BUCKETS - 1)
#define POLICY_NTH 3 /* a mask for them, which the verifier of Linux 6.1 follows */
/* Names of one end: any, its groups, and its CIDRs. Only an end behind a router has both. */
#define POLICY_WHO (1 + TSW_POLICY_MEMBER + TSW_POLICY_NESTED)
#define POLICY_LENGTHS 18 /* prefix lengths of a port: 0 to 16 bits; and no protocol */

#define POLICY_HEAD 14 /* octets of an upper layer that are read: ports to flags of TCP */

/* One end of a connection. */
struct policy_end {
	struct tsw_mac mac; /* zero: an end behind the gateway */
	__u16 n;	    /* entries of who; at least 1 */
	__u16 who[POLICY_WHO];
	bool world;  /* behind the gateway: CIDRs count, groups do not */
	bool own;    /* the gateway's own address */
	bool serves; /* the address at which the switch answers DNS */
	bool all;    /* broadcast or multicast */
};

/* The fields of an ICMP error's quote that identify its connection. */
struct policy_quote {
	struct tsw_addr src, dst;
	struct iphdr ip;
	__u32 l4; /* offset in the frame */
	__u8 proto;
};

/* Like tsw_policy_bucket, whose lock is not allowed in a per-CPU map. */
struct policy_fresh {
	__u32 lock, pad;
	struct tsw_policy_conn conn[TSW_POLICY_BUCKET];
};

_Static_assert(sizeof(struct policy_fresh) == sizeof(struct tsw_policy_bucket), "ABI");

/*
 * Notes while one frame is judged, per CPU, because the stack is too short. Afterwards only number
 * has a meaning: the rule that decided.
 */
struct policy_work {
	struct tsw_policy_conn conn; /* the frame's; for a known connection the stored entry */
	struct tsw_policy_conn_key bucket[POLICY_NTH + 1];
	struct tsw_policy_way_key way;
	struct tsw_policy_choice best;
	struct policy_end from, to; /* ends of the frame; of the connection while rules are asked */
	struct policy_quote quote;
	__u8 length[POLICY_LENGTHS];
	__u8 n_lengths;
	__be16 port;	/* destination port of the connection in question */
	__u8 proto;	/* of the frame, as in rules: ICMP of both families is one */
	__u8 flags;	/* of TCP */
	bool from_high; /* the frame is from the connection's `high` end */
	bool asks;	/* ICMP that is no reply */
	bool answer;	/* the connection in question began at `to` and leads to `from` */
	bool logs;	/* the rule was asked, and says `log on` */
	bool quoted;	/* quoted by an ICMP error: the connection itself sent nothing */
	bool there;	/* the connection was found, in this one of its buckets: */
	__u8 place;
	__u8 head_len;		/* valid octets of head; 0: the frame is too short */
	__u8 head[POLICY_HEAD]; /* of the upper layer, read once */
	__u32 tenant;
	__u32 generation;	   /* of the policy */
	__u32 now;		   /* tick */
	__u32 number;		   /* of the rule; 0: none */
	struct policy_fresh fresh; /* a new bucket: empty after its first place */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct policy_work);
} tsw_policy_work TSW_MAP;

static __always_inline struct policy_work *policy_work(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&tsw_policy_work, &zero);
}

/* The number of the rule that decided last on this CPU, if the event is about a rule. */
static __always_inline __u32 policy_number(__u32 reason, __u32 point)
{
	struct policy_work *w = policy_work();

	return w && (point == TSW_POINT_RULE || reason == TSW_DROP_POLICY_DENIED) ? w->number : 0;
}

static __always_inline struct tsw_policy *policy_get(__u32 tenant)
{
	return bpf_map_lookup_elem(&tsw_policies, &tenant);
}

/* Counts a frame for the rule that decided; number 0: no rule did. */
static __noinline void policy_count(__u32 tenant, __u32 number, const struct tsw_counter *size)
{
	struct tsw_policy_hit_key key = {.tenant = tenant, .number = number};
	struct tsw_counter *hits = bpf_map_lookup_elem(&tsw_policy_hits, &key);

	if (!hits) {
		struct tsw_counter zero = {};

		bpf_map_update_elem(&tsw_policy_hits, &key, &zero, BPF_NOEXIST);
		hits = bpf_map_lookup_elem(&tsw_policy_hits, &key);
	}
	if (hits)
		counter_add(hits, size);
}

#endif
