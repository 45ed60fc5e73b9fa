/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of the ABI that is about who may talk to whom inside a tenant. See abi.h. */
#ifndef TSW_ABI_POLICY_H
#define TSW_ABI_POLICY_H

#include <linux/bpf.h>

#include <tsw/abi.h>

#define TSW_POLICY_GROUPS 1000 /* of a tenant, numbered from 1 on */
#define TSW_POLICY_CIDRS 1000  /* likewise, different ones in its rules */
#define TSW_POLICY_NESTED 8    /* of them that one address may be within */
#define TSW_POLICY_MEMBER 8    /* groups that an endpoint is in at most */

/* Who is at one end of a rule: a group's number, or one of these. */
#define TSW_POLICY_ANY 0
#define TSW_POLICY_CIDR 0x8000U /* | number of a CIDR */

enum tsw_policy_mode { TSW_POLICY_OFF, TSW_POLICY_AUDIT, TSW_POLICY_ON };
enum tsw_policy_action { TSW_POLICY_ALLOW, TSW_POLICY_DENY };

/* Connections that a tenant's policy follows, without the word; entries on each host. */
#define TSW_POLICY_CONNS 32768
#define TSW_POLICY_CONNS_MOST (1U << 20) /* where it says `none` */

/*
 * tsw_policies: tenant id -> its policy. No entry: `off`, and nothing of a policy was ever said.
 *
 * Ways and members are written first, for the generation that is to come; then generation is
 * counted up, and a frame sees all of the change. pending says that a command is at it, or was
 * killed: what it has written of that generation is taken back before anything else is changed.
 */
struct tsw_policy {
	__u32 mode;	   /* enum tsw_policy_mode */
	__u32 deny;	   /* who is in no group is denied what no rule allows */
	__u32 generation;  /* of what counts now */
	__u32 pending;	   /* generation + 1 while a change is being written; else 0 */
	__u32 lengths;	   /* bit N: a way has a port prefix of N bits */
	__u32 table;	   /* of its connections, by chance: another number is an empty table */
	__u32 connections; /* 0: as without the word */
	__u32 members;	   /* endpoints that are in a group */
};

/* tsw_policy_groups: {tenant, name} -> number. */
struct tsw_policy_name {
	__u32 tenant;
	struct tsw_name name;
};

/* tsw_policy_members: {tenant, MAC}, as a tsw_fdb_key -> groups; zeros behind the last. */
struct tsw_policy_member {
	__u16 group[TSW_POLICY_MEMBER];
};

/* One end of a rule. */
struct tsw_policy_end {
	__u16 who;    /* TSW_POLICY_ANY, a group, or TSW_POLICY_CIDR | number */
	__u16 length; /* of the CIDR, counted as IPv6: an IPv4 one's is 96 more */
	struct tsw_addr cidr;
};

/* tsw_policy_rules: {tenant, name} -> rule. */
struct tsw_policy_rule {
	struct tsw_policy_end from, to;
	__u32 number;	   /* in the tenant, from 1 on: whose hits those are */
	__u16 first, last; /* ports, host order; 0 and 0: any */
	__u16 priority;	   /* from 1 on, a higher one goes first */
	__u8 proto;	   /* IPPROTO_*; ICMP means ICMPv6, too; 0: any */
	__u8 action;	   /* enum tsw_policy_action */
	__u32 flags;	   /* TSW_RULE_* */
};

#define TSW_RULE_LOG (1U << 0)

/*
 * tsw_policy_cidrs: the longest CIDR of a tenant that an address is within. A trie, whose
 * prefix counts the bits of tenant and addr.
 */
struct tsw_policy_cidr_key {
	__u32 prefix;
	__u32 tenant;
	struct tsw_addr addr;
};

struct tsw_policy_cidr {
	__u16 number;
	__u16 length; /* its own, of addr alone */
	__u32 refs;   /* rules that name it; kept by the command alone */
};

/*
 * tsw_policy_ways: what the rules say, taken apart so that the number of look-ups hangs on no
 * rule: a range of ports is a few prefixes of the 16 bits of a port.
 */
struct tsw_policy_way_key {
	__u32 tenant;
	__u16 from, to; /* as tsw_policy_end.who */
	__u8 proto;	/* 0: any */
	__u8 length;	/* of port; 0: any port */
	__be16 port;	/* zero behind length */
};

/* Of the rules with this key the one that counts; number 0: none. */
struct tsw_policy_choice {
	__u32 number;
	__u32 weight; /* TSW_POLICY_WEIGHT: the greater one counts */
};

#define TSW_POLICY_WEIGHT(priority, action, log) \
	((__u32)(priority) << 2 | ((action) == TSW_POLICY_DENY) << 1 | !!(log))
#define TSW_POLICY_DENIES(weight) ((weight) >> 1 & 1)
#define TSW_POLICY_LOGS(weight) ((weight)&1)

struct tsw_policy_way {
	__u32 generation;	      /* from which on `then` counts, and `now` before */
	struct tsw_policy_choice now; /* before that */
	struct tsw_policy_choice then;
	__u32 pad;
};

/* tsw_policy_hits: -> per-CPU struct tsw_counter. Number 0: what no rule has decided. */
struct tsw_policy_hit_key {
	__u32 tenant;
	__u32 number;
};

/*
 * tsw_policy_conns: connections that rules have allowed, so that answers pass. Each is in one of
 * two buckets that its addresses and ports choose. What is over is free by its time alone; a
 * bucket in which all is over is swept by commands and the agent (policy_sweep.h).
 *
 * The kernel gives the memory of a bucket that was swept to the next one at once, maybe another
 * tenant's, while a program may still be at it: so each entry says whose it is.
 */
#define TSW_POLICY_BUCKET 8

/* Of a bucket's places two are spare: chance fills some before the share is used up. */
#define TSW_POLICY_FILL 6
/* That a tenant may have for so many connections. */
#define TSW_POLICY_BUCKETS(connections) ((connections) / TSW_POLICY_FILL + 1)

/*
 * The number of a table's spare bucket. It holds connections that begin while the kernel refuses a
 * new bucket. The next frame of each moves it into a bucket of its own.
 */
#define TSW_POLICY_SPARE 0xffffffffU

#define TSW_POLICY_OF_HIGH (1U << 0)  /* `high` has begun it, else `low` */
#define TSW_POLICY_ANSWERED (1U << 1) /* what has not been may make room for others */
#define TSW_POLICY_FIN_LOW (1U << 2)
#define TSW_POLICY_FIN_HIGH (1U << 3)

#define TSW_POLICY_PROTO 0xffU
#define TSW_POLICY_OWNER(table) ((table) << 8) /* what there is room for of tsw_policy.table */

struct tsw_policy_conn_key {
	__u32 tenant;
	__u32 table;
	__u32 bucket;
};

struct tsw_policy_conn {
	struct tsw_addr low, high;	  /* the two ends, in the order of their octets */
	__be16 low_port, high_port;	  /* of ICMP: what tells questions apart */
	struct tsw_mac low_mac, high_mac; /* zero: by the gateway */
	__u32 proto;			  /* | TSW_POLICY_OWNER */
	__u32 until;			  /* tick */
	__u32 generation;
	__u32 number; /* the rule */
	__u32 state;  /* TSW_POLICY_* */
};

struct tsw_policy_bucket {
	struct bpf_spin_lock lock;
	__u32 pad;
	struct tsw_policy_conn conn[TSW_POLICY_BUCKET];
};

_Static_assert(sizeof(struct tsw_policy) == 32, "ABI");
_Static_assert(sizeof(struct tsw_policy_name) == 68, "ABI");
_Static_assert(sizeof(struct tsw_policy_member) == 16, "ABI");
_Static_assert(sizeof(struct tsw_policy_end) == 20, "ABI");
_Static_assert(sizeof(struct tsw_policy_rule) == 56, "ABI");
_Static_assert(sizeof(struct tsw_policy_cidr_key) == 24, "ABI");
_Static_assert(sizeof(struct tsw_policy_cidr) == 8, "ABI");
_Static_assert(sizeof(struct tsw_policy_way_key) == 12, "ABI");
_Static_assert(sizeof(struct tsw_policy_way) == 24, "ABI");
_Static_assert(sizeof(struct tsw_policy_conn_key) == 12, "ABI");
_Static_assert(sizeof(struct tsw_policy_conn) == 68, "ABI");
_Static_assert(sizeof(struct tsw_policy_bucket) == 552, "ABI");

#endif
