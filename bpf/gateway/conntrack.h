/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's conntrack: the parts of its structures that are read, and how it is asked. See
 * ct_whose.h.
 */
#ifndef TSW_BPF_GATEWAY_CONNTRACK_H
#define TSW_BPF_GATEWAY_CONNTRACK_H

#include <bpf/bpf_core_read.h>

#include "gateway/maps.h"
#include "core/parse.h"

union nf_inet_addr {
	__u32 all[4];
} __attribute__((preserve_access_index));

union nf_conntrack_man_proto {
	__be16 all;
} __attribute__((preserve_access_index));

struct nf_conntrack_man {
	union nf_inet_addr u3;
	union nf_conntrack_man_proto u;
	__u16 l3num;
} __attribute__((preserve_access_index));

struct nf_conntrack_tuple {
	struct nf_conntrack_man src;
	struct {
		union nf_inet_addr u3;
		union {
			__be16 all;
		} u;
		__u8 protonum;
	} dst;
} __attribute__((preserve_access_index));

struct nf_conntrack_tuple_hash {
	struct nf_conntrack_tuple tuple;
} __attribute__((preserve_access_index));

struct ip_ct_tcp_state {
	__u8 flags;
} __attribute__((preserve_access_index));

struct ip_ct_tcp {
	struct ip_ct_tcp_state seen[2];
	__u8 state;
} __attribute__((preserve_access_index));

union nf_conntrack_proto {
	struct ip_ct_tcp tcp;
} __attribute__((preserve_access_index));

struct nf_conntrack_zone {
	__u16 id;
	__u8 dir;
} __attribute__((preserve_access_index));

/* The extensions of a connection; the first one is its helper's. Offset 0: it has none. */
struct nf_ct_ext {
	__u8 offset[1];
} __attribute__((preserve_access_index));

struct hlist_node {
	struct hlist_node *next;
} __attribute__((preserve_access_index));

struct hlist_head {
	struct hlist_node *first;
} __attribute__((preserve_access_index));

struct nf_conn_help {
	struct hlist_head expectations;
} __attribute__((preserve_access_index));

struct nf_conntrack_expect {
	struct hlist_node lnode;
	struct nf_conntrack_tuple tuple;
} __attribute__((preserve_access_index));

struct nf_conn {
	__u32 timeout; /* jiffies */
	struct nf_conntrack_zone zone;
	struct nf_conntrack_tuple_hash tuplehash[2];
	unsigned long status;
	__u32 mark;
	struct nf_ct_ext *ext;
	union nf_conntrack_proto proto;
} __attribute__((preserve_access_index));

/*
 * The kernel's bpf_ct_opts. Before Linux 6.11 it lacks the zone's fields and has 2 more reserved
 * octets.
 */
struct ct_opts {
	__s32 netns_id;
	__s32 error;
	__u8 l4proto;
	__u8 dir;
	__u16 zone;
	__u8 zone_dir;
	__u8 reserved[3];
};

struct bpf_ct_opts___zoned {
	__u16 ct_zone_id;
} __attribute__((preserve_access_index));

#define CT_OPTS_LEN 12
#define CT_ZONED_LEN 16
#define CT_ZONE_ORIGINAL 1     /* NF_CT_ZONE_DIR_ORIG: only this direction has the zone */
#define CT_REPLY 1	       /* IP_CT_DIR_REPLY */
#define CT_CLASSES 0xfff80000U /* of TSW_CT_* */

/* Set by the command before loading; without it the code below is compiled away. */
extern struct nf_conn *bpf_skb_ct_lookup(struct __sk_buff *skb, struct bpf_sock_tuple *tuple,
					 __u32 tuple_len, struct ct_opts *opts,
					 __u32 opts_len) __ksym __weak;
extern void bpf_ct_release(struct nf_conn *ct) __ksym __weak;
const volatile bool tsw_has_conntrack = false;

enum ct_whose { CT_NONE, CT_OWN, CT_FOREIGN };

static __always_inline bool ct_has_zones(void)
{
	return bpf_core_field_exists(struct bpf_ct_opts___zoned, ct_zone_id);
}

#endif
