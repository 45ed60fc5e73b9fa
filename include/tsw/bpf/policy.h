/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant's policy: what there is to look up. See abi_policy.h. */
#ifndef TSW_BPF_POLICY_H
#define TSW_BPF_POLICY_H

#include <tsw/bpf/base.h>

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

#endif
