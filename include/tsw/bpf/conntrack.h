/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's conntrack, asked before it sees a frame: whose is the flow that it would take the
 * frame for? Its state machine runs before any rule of nftables can drop.
 */
#ifndef TSW_BPF_CONNTRACK_H
#define TSW_BPF_CONNTRACK_H

#include <bpf/bpf_core_read.h>

#include <tsw/bpf/gateway_maps.h>
#include <tsw/bpf/parse.h>

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

struct nf_conn {
	struct nf_conntrack_zone zone;
	struct nf_conntrack_tuple_hash tuplehash[2];
	unsigned long status;
	__u32 mark;
	union nf_conntrack_proto proto;
} __attribute__((preserve_access_index));

/* The kernel's bpf_ct_opts; before Linux 6.11 it ends in front of the zone, with 2 octets more. */
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
#define CT_ZONE_ORIGINAL 1     /* NF_CT_ZONE_DIR_ORIG: the zone is that of this direction alone */
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

/*
 * What of TCP is only ever said in a flow that is there: an answer to who begins one, and the end.
 * Of neither does conntrack make a flow; but the one that it is meant for may begin on another
 * processor between the question here and conntrack's own.
 */
static __always_inline bool ct_needs_flow(struct __sk_buff *skb, const struct frame *f)
{
	__u8 flags = 0;

	if (f->proto != IPPROTO_TCP)
		return false;
	bpf_skb_load_bytes(skb, f->l4 + TCP_FLAGS_AT, &flags, sizeof(flags));
	if ((flags & (TCP_SYN | TCP_ACK)) == (TCP_SYN | TCP_ACK))
		return true;
	/* Without zones a tenant's own flow is not found in the direction that it began. */
	return flags & TCP_RST && ct_has_zones();
}

/* The class says that it is of the switch's, the index of whom; a peering's is of both. */
static __always_inline bool ct_mark_is_of(__u32 mark, __u32 tenant)
{
	struct tsw_mark *whose = mark_get(mark & TSW_MARK_INDEX);

	return (mark & CT_CLASSES) == TSW_CT_OUT && whose &&
	       (whose->tenant == tenant || whose->peer == tenant);
}

static __always_inline void ct_tuple(const struct frame *f, const __be16 ports[2],
				     struct bpf_sock_tuple *tuple)
{
	if (f->eth.type == bpf_htons(ETH_P_IP)) {
		tuple->ipv4.saddr = f->src.w[3];
		tuple->ipv4.daddr = f->dst.w[3];
		tuple->ipv4.sport = ports[0];
		tuple->ipv4.dport = ports[1];
		return;
	}
	__builtin_memcpy(tuple->ipv6.saddr, &f->src, sizeof(tuple->ipv6.saddr));
	__builtin_memcpy(tuple->ipv6.daddr, &f->dst, sizeof(tuple->ipv6.daddr));
	tuple->ipv6.sport = ports[0];
	tuple->ipv6.dport = ports[1];
}

/* Whether there is a flow of which the frame is in direction dir; *mark is that of the flow. */
static __always_inline bool ct_find(struct __sk_buff *skb, const struct frame *f,
				    const __be16 ports[2], struct ct_opts *opts, __u32 *mark)
{
	const __u32 dir = opts->dir;
	struct bpf_sock_tuple tuple = {};
	struct nf_conn *ct;

	ct_tuple(f, ports, &tuple);
	if (f->eth.type == bpf_htons(ETH_P_IP))
		ct = opts->zone ? bpf_skb_ct_lookup(skb, &tuple, sizeof(tuple.ipv4), opts,
						    CT_ZONED_LEN)
				: bpf_skb_ct_lookup(skb, &tuple, sizeof(tuple.ipv4), opts,
						    CT_OPTS_LEN);
	else
		ct = opts->zone ? bpf_skb_ct_lookup(skb, &tuple, sizeof(tuple.ipv6), opts,
						    CT_ZONED_LEN)
				: bpf_skb_ct_lookup(skb, &tuple, sizeof(tuple.ipv6), opts,
						    CT_OPTS_LEN);
	if (!ct)
		return false;
	*mark = ct->mark;
	bpf_ct_release(ct);
	return opts->dir == dir;
}

/*
 * Whose flow conntrack would take a frame of TCP or UDP for that TENANT sends, stamped with INDEX.
 * Its own zone's comes first, as in conntrack; where the kernel cannot be asked for that, before
 * Linux 6.11, an equal flow of another's counts.
 */
static __noinline int ct_whose(struct __sk_buff *skb, const struct frame *f, __u32 tenant,
			       __u32 index)
{
	struct ct_opts opts = {.netns_id = -1, .l4proto = f->proto, .dir = CT_REPLY};
	__u32 mark = 0, own;
	__be16 ports[2];
	bool found, needs;

	if (!tsw_has_conntrack)
		return CT_NONE;
	if (bpf_skb_load_bytes(skb, f->l4, ports, sizeof(ports)))
		return CT_NONE;
	found = ct_find(skb, f, ports, &opts, &mark);
	if (found && ct_mark_is_of(mark, tenant))
		return CT_OWN;
	/* Of what needs one and has none it does not matter whose it would be. */
	needs = found || ct_needs_flow(skb, f);
	if (!ct_has_zones() || (!needs && !f->fragment))
		return needs ? CT_FOREIGN : CT_NONE;
	opts = (struct ct_opts){
		.netns_id = -1, .l4proto = f->proto, .zone = index, .zone_dir = CT_ZONE_ORIGINAL};
	if (ct_find(skb, f, ports, &opts, &own))
		return CT_OWN;
	return needs ? CT_FOREIGN : CT_NONE;
}

#endif
