/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the ABI that is about gateways: which hosts serve them, the marks by which frames and
 * the router know tenants, peerings, published ports; and tenants' subnets. See abi.h, which has
 * this.
 */
#ifndef TSW_ABI_GATEWAY_H
#define TSW_ABI_GATEWAY_H

#include <tsw/abi.h>
#include <tsw/abi_timeout.h>

/*
 * tsw_gateways: tenant id -> its gateway. The gateway's MAC has an entry in tsw_fdb, place
 * GATEWAY, and its addresses have that MAC in tsw_addrs.
 */
#define TSW_GATEWAY_ADDRS 8
#define TSW_GATEWAY_MAX 0xffffU /* an index is a mark's lower half and a conntrack zone */
#define TSW_GATEWAY_NAT (1U << 0)
#define TSW_GATEWAY_FLOWS (1U << 1)    /* set by the programs: tsw_flows has flows of this tenant */
#define TSW_GATEWAY_PENDING (1U << 2)  /* a command about it has not ended */
#define TSW_GATEWAY_ALL (1U << 3)      /* each host serves its own endpoints */
#define TSW_GATEWAY_WAS_ALL (1U << 4)  /* and it was so before the last move */
#define TSW_GATEWAY_SLOW (1U << 5)     /* the router's rules judge all frames: `fast off` */
#define TSW_GATEWAY_METADATA (1U << 6) /* networks in tsw_closed are reached: `metadata on` */
#define TSW_GATEWAY_READY (1U << 8)    /* one of its ranks is this host, which is ready to serve */
#define TSW_GATEWAY_HELPER(helper) (1U << (9 + (helper))) /* enum tsw_helper: it is used */
#define TSW_GATEWAY_HELPERS (TSW_GATEWAY_HELPER(TSW_HELPERS) - TSW_GATEWAY_HELPER(0))

enum tsw_helper { TSW_HELPER_FTP, TSW_HELPER_TFTP, TSW_HELPER_SIP, TSW_HELPERS };

#define TSW_GATEWAY_RANKS 4 /* hosts of a gateway at most; more overflow gateway_has_rank() */

/* Why a host other than the first of its ranks serves it. */
enum tsw_flip {
	TSW_FLIP_NONE,
	TSW_FLIP_SILENT, /* the first does not answer */
	TSW_FLIP_UPLINK, /* it answers, but has no way to the world */
	TSW_FLIP_HOLD,	 /* it is back, and waits before it serves again */
	TSW_FLIPS
};

/* The host that took over may end its drain this much later than the host before it. */
#define TSW_DRAIN_GRACE 10000000000ULL /* ns */

struct tsw_prefix {
	struct tsw_addr addr;
	__u32 len; /* of 128 bits: IPv4's and 96 */
};

struct tsw_gateway {
	__u64 drain_until; /* CLOCK_MONOTONIC, ns: until then flows of `old` stay there */
	__u32 index;	   /* of the tenant in marks, 1..TSW_GATEWAY_MAX; on this host only */
	__u32 flags;	   /* TSW_GATEWAY_* */
	__u32 host;	   /* host index of the host that serves it now; 0: this host */
	__u32 old;	   /* the host that did before the last move; 0: this host */
	struct tsw_mac mac;
	__u8 pad[2];
	__u32 n_addrs;
	struct tsw_prefix addr[TSW_GATEWAY_ADDRS]; /* its own addresses, and their networks */
	struct tsw_addr snat[TSW_FAMILIES];	   /* source with NAT; zero: the uplink's */
	struct tsw_addr resolver[TSW_FAMILIES];	   /* resolver of other names; zero: none */
	/* The hosts that serve it, the first one while it lives: host indices; 0: this host. */
	__u32 n_ranks; /* 0: each host serves its own endpoints */
	__u32 rank[TSW_GATEWAY_RANKS];
	__u32 down;    /* a bit for each rank that is dead or has no way to the world */
	__u32 flip;    /* enum tsw_flip */
	__u64 flipped; /* CLOCK_MONOTONIC, ns: since when `host` is not the first, or 0 */
	__u32 timeout[TSW_TIMEOUT_OWN]; /* enum tsw_timeout, seconds; 0: the host's */
};

/*
 * tsw_marks: index -> its tenant or peering. Between the programs and the router a frame's tenant
 * is in skb->mark: a class in the upper half, an index in the lower. A peering has an index for
 * each direction. It stands for flows that begin in this direction, and on the way out for the
 * tenant that they come from.
 */
#define TSW_MARK_CLASS 0xffff0000U
#define TSW_MARK_INDEX 0x0000ffffU
#define TSW_MARK_TENANT 0x74500000U /* in: from that tenant; out: to that tenant */
#define TSW_MARK_BOUNCE 0x74510000U /* out: to the host that serves the gateway now */
#define TSW_MARK_NAMES 0x74520000U  /* in: from that tenant, to its gateway's resolver */
#define TSW_MARK_VOICE 0x74530000U  /* out: to that tenant, an ICMP error of this host's own */
#define TSW_MARK_HELD 0x74540000U   /* in: only if this host has its flow; else BOUNCE */
#define TSW_MARK_SELF 0x74550000U   /* in: to the gateway itself, only if this host has its flow */
#define TSW_MARK_WORLD 0x74560000U  /* in the router: to the world; the slot of an uplink */

#define TSW_MARK_EXPECTED 0x74570000U /* in the router: from the world, in that tenant's zone */

/* Classes of ct marks. Their index is that of the flow's tenant or peering. */
#define TSW_CT_OUT 0x74500000U	     /* the tenant began it, or the peering's first tenant */
#define TSW_CT_HAIRPIN 0x74510000U   /* the same, to its own published port */
#define TSW_CT_NAMES 0x74520000U     /* the tenant began it, to its gateway's resolver */
#define TSW_CT_PUBLISHED 0x74530000U /* the world began it */
#define TSW_CT_EXPECTED 0x74540000U  /* the world began it, as a tenant's helper expected */
#define TSW_CT_BOUNCED 0x74570000U   /* not this host's: it went on as TSW_MARK_BOUNCE */

struct tsw_mark {
	__u32 tenant; /* tenant id */
	__u32 peer;   /* in: for a peering the tenant id that it leads to; else 0 */
};

/* tsw_peers: {of, with} -> the half of a peering that the tenant `of` gave. Command alone. */
#define TSW_PEER_PENDING (1U << 0) /* its `add` or `del` has not ended */

struct tsw_peer_key {
	__u32 of;
	__u32 with;
};

struct tsw_peer {
	__u32 index;	  /* of the direction of -> with */
	__u16 port;	  /* the host's byte order; 0: all */
	__u8 proto;	  /* IPPROTO_TCP, IPPROTO_UDP; 0: all */
	__u8 flags;	  /* TSW_PEER_* */
	__u32 n_prefixes; /* of `of`'s addresses; 0: all networks of its gateway */
	struct tsw_prefix prefix[TSW_GATEWAY_ADDRS];
};

/*
 * tsw_peer_routes: a trie, {tenant, network of a peer} -> that peer. While only one half exists,
 * the entry has no index and nothing passes.
 */
struct tsw_peer_route_key {
	__u32 len; /* bits of what follows: 32 and the prefix's */
	__u32 tenant;
	struct tsw_addr addr;
};

struct tsw_peer_route {
	__u32 peer;  /* tenant id */
	__u32 index; /* of the direction tenant -> peer; 0: only one of them has agreed */
};

/* tsw_publish: what the world reaches of a tenant. Command alone: the packets' way is nftables. */
struct tsw_publish_key {
	__u16 family; /* enum tsw_family */
	__u16 proto;  /* IPPROTO_TCP, IPPROTO_UDP */
	__u32 port;   /* at this host's addresses; the host's byte order */
};

#define TSW_PUBLISH_PENDING (1U << 0) /* its `add` or `del` has not ended */

/*
 * Tenants leave as this host by these ports alone, and as any other address by all ports. They are
 * above those of most services, and below those of the host's own flows and of Kubernetes' nodes.
 * So nothing is published at them. user/door/gateway.nft has them, too.
 */
#define TSW_NAT_PORT_LOW 10000
#define TSW_NAT_PORT_HIGH 29999

struct tsw_publish {
	__u32 tenant;
	__u16 port;  /* of the endpoint; the host's byte order */
	__u16 flags; /* TSW_PUBLISH_* */
	struct tsw_addr addr;
};

/*
 * tsw_closed: a trie, network -> TSW_CLOSED_*: no gateway leads there unless its tenant has
 * `metadata on`. By default these are the addresses by which clouds give a machine its credentials.
 * A tenant that asks in this host's name would get the host's.
 */
#define TSW_CLOSED_MOST 64		/* asked for at most */
#define TSW_CLOSED_BY_DEFAULT (1U << 0) /* it is in this version's list */
#define TSW_CLOSED_ASKED (1U << 1)	/* `switch set closed` names it */
#define TSW_CFG_CLOSED_ALONE (1U << 9)	/* in flags of the configuration: without that list */

struct tsw_closed_key {
	__u32 len; /* bits of addr */
	struct tsw_addr addr;
};

/*
 * tsw_flows: {flow as its endpoint sends it} -> the host whose gateway has it. It contains flows
 * that came through another gateway than the endpoint's own, or began here while the gateway moved.
 * The least recently used entries go.
 */
struct tsw_flow_key {
	__u32 tenant;
	struct tsw_addr src;
	struct tsw_addr dst;
	__be16 sport; /* of TCP and UDP; the identifier of an echo */
	__be16 dport;
	__u32 proto;
};

#define TSW_FLOW_IDLE 180000000000ULL /* ns; later it is another flow, but not with TCP */
#define TSW_FLOW_UNHEARD \
	30000000000ULL /* ns; likewise, at a host without endpoints of the tenant */

struct tsw_flow {
	__u64 seen; /* CLOCK_MONOTONIC, ns */
	__u32 host; /* host index; 0: here */
	__u32 pad;
};

/*
 * tsw_nets: tenant id -> its subnets, for `auto`, leases and policies; without an entry it has
 * none.
 */
#define TSW_NETS TSW_GATEWAY_ADDRS /* at most */

struct tsw_net {
	struct tsw_prefix prefix;
	struct tsw_addr last; /* what `auto` took last; it continues after it; zero: nothing yet */
};

struct tsw_nets {
	__u32 n;
	struct tsw_net at[TSW_NETS];
};

/*
 * tsw_given_up: struct tsw_addr_key -> __u64, ns of CLOCK_MONOTONIC: when an endpoint gave up the
 * address, or with address zero a tenant its id. During TSW_REST `auto` gives it to nobody, because
 * others still know its old owner. Command alone.
 */
#define TSW_REST 60000000000ULL /* ns */

/*
 * tsw_names: struct tsw_fdb_key -> struct tsw_name: the endpoint with the MAC, in tenants with
 * TSW_TENANT_ANSWERS. tsw_endpoints has its addresses, by the same name.
 */

/*
 * At these addresses the switch itself answers if a tenant has no gateway of that family. No
 * endpoint has them: 169.254.169.253, which no router forwards (RFC 3927), and fd00:ec2::253. Host
 * order.
 */
#define TSW_SERVICE_IP 0xa9fea9fdU
#define TSW_SERVICE_IP6 0xfd000ec2U /* its first word; the words between are zero */
#define TSW_SERVICE_IP6_LAST 0x253U
#define TSW_SERVICE_MAC                                    \
	{                                                  \
		{                                          \
			0x02, 0x74, 0x73, 0x77, 0xa9, 0xfd \
		}                                          \
	}

/*
 * tsw_domains: tenant id -> the domain in which its endpoints have names, where DNS is answered
 * (TSW_TENANT_DNS). In lower case; all octets behind are zero.
 */
#define TSW_DOMAIN_MAX 128
#define TSW_DOMAIN "tsw.internal"

struct tsw_domain {
	__u32 len;		   /* of text; in wire it is one octet more */
	char text[TSW_DOMAIN_MAX]; /* each label with a dot before it */
	__u8 wire[TSW_DOMAIN_MAX]; /* as in messages: RFC 1035 section 3.1 */
};

/* tsw_descriptions: tenant -> its description; without an entry it has none. */
struct tsw_description {
	char text[128]; /* one line of UTF-8, with the final NUL */
};

/* tsw_boot: tenant -> where its endpoints boot from; without an entry they are told of nothing. */
#define TSW_BOOT_FILE 128   /* octets with the final NUL */
#define TSW_BOOT_OPTION 256 /* octets */

struct tsw_boot {
	struct tsw_addr server[TSW_FAMILIES]; /* zero: none of that family */
	char file[TSW_BOOT_FILE];	      /* its name at the server, or a URL */
	/* As in messages: DHCP's options 66 and 67, and DHCPv6's option 59 (RFC 5970). */
	__u32 len[TSW_FAMILIES]; /* 0: no server of that family */
	__u8 option[TSW_FAMILIES][TSW_BOOT_OPTION];
};

/* tsw_relays: tenant -> its own DHCP servers; without an entry the switch answers. */
struct tsw_relay {
	struct tsw_addr server[TSW_FAMILIES]; /* zero: none of that family */
};

_Static_assert(sizeof(struct tsw_relay) == 32, "ABI");
_Static_assert(sizeof(struct tsw_boot) == 680, "ABI");
_Static_assert(sizeof(struct tsw_gateway) == 312, "ABI");
_Static_assert(sizeof(struct tsw_description) == 128, "ABI");
_Static_assert(sizeof(struct tsw_domain) == 260, "ABI");
_Static_assert(sizeof(struct tsw_nets) == 292, "ABI");
_Static_assert(sizeof(struct tsw_peer) == 172, "ABI");
_Static_assert(sizeof(struct tsw_peer_route_key) == 24, "ABI");
_Static_assert(sizeof(struct tsw_publish) == 24, "ABI");
_Static_assert(sizeof(struct tsw_flow_key) == 44, "ABI");
_Static_assert(sizeof(struct tsw_closed_key) == 20, "ABI");

#include <tsw/abi_prefix.h>

#endif
