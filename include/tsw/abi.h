/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layout of the pinned maps, which the programs in the kernel and the command share. The maps
 * are the switch's whole state, so a change here is a change of ABI: raise TSW_ABI_VERSION, and see
 * docs/testing.md for what comes with it.
 *
 * Byte order: __beNN is network order, __uNN the host's. Padding is explicit and zero, since keys
 * are compared as bytes.
 */
#ifndef TSW_ABI_H
#define TSW_ABI_H

#include <linux/types.h>
#include <tsw/drops.h>

#define TSW_ABI_VERSION 8
/* `switch upgrade` can make this one of it, see user/store/migrate.c. */
#define TSW_ABI_OLDEST 3

#define TSW_NAME_LEN 64		 /* of tenants, hosts, endpoints; with the final NUL */
#define TSW_MAC_LEN 6		 /* octets of an Ethernet address */
#define TSW_VXLAN_PORT 4789	 /* IANA's, RFC 7348 section 5 */
#define TSW_GENEVE_PORT 6081	 /* IANA's, RFC 8926 section 3.3 */
#define TSW_VNI_MAX 0xffffffU	 /* 24 bits, RFC 7348 section 5 and RFC 8926 section 3.4 */
#define TSW_MAX_HOSTS 4096	 /* switches in one cluster */
#define TSW_UNDERLAYS 8		 /* devices that face the other hosts */
#define TSW_ADDRS_PER_ENDPOINT 4 /* tsw_addrs has room for this many each, on average */
#define TSW_ADDRS_PER_GATEWAY 2	 /* likewise */

/* An IPv6 address, or an IPv4 one as ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2). */
struct tsw_addr {
	__be32 w[4];
};

#define TSW_V4MAPPED 0xffffU /* host order, the third word of a mapped address */

struct tsw_mac {
	__u8 b[TSW_MAC_LEN];
} __attribute__((aligned(2))); /* as in every Ethernet header */

/*
 * Octets that a too-big answer quotes; shorter packets get none. So the answer has 576 octets (RFC
 * 1812 section 4.3.2.3), or 1280 (RFC 4443 section 2.4 (c)).
 */
#define TSW_QUOTE4 548
#define TSW_QUOTE6 1232

/* What the underlay speaks, and what a tenant's frames are carried in. */
enum tsw_family { TSW_IPV4, TSW_IPV6, TSW_FAMILIES };
enum tsw_encap { TSW_ENCAP_VXLAN, TSW_ENCAP_GRE, TSW_ENCAP_GENEVE, TSW_ENCAPS };

/* On the underlay: IP 20 or 40, UDP and VXLAN or Geneve 16, or GRE and key 8, Ethernet 14. */
#define TSW_OVERHEAD(encap, family) \
	(((family) == TSW_IPV6 ? 40U : 20U) + ((encap) == TSW_ENCAP_GRE ? 8U : 16U) + 14U)

/* tsw_config: the switch itself, entry 0 of an array. */
#define TSW_CFG_SLOW_PATH (1U << 0)   /* tsw-vx is up and holds the tunnel port's socket */
#define TSW_CFG_DECAP_L3 (1U << 1)    /* adjust_room knows DECAP_L3_IPV4 and _IPV6 (Linux 6.3) */
#define TSW_CFG_TAGGED (1U << 2)      /* an underlay is a VLAN device: tagged frames are not odd */
#define TSW_CFG_OLD_WAY (1U << 3)     /* programs of ABI 4 make way: what they sent has no pass */
#define TSW_CFG_OLD_LIBERAL (1U << 5) /* to ABI 7 conntrack was made liberal, and is put back */
#define TSW_CFG_BARE (1U << 6)	      /* an underlay has no link header; 1U << 5: see abi_fast.h */
#define TSW_CFG_ENCRYPT (1U << 7)     /* nothing between hosts in the clear, see abi_crypt.h */
#define TSW_CFG_OLD_DOOR (1U << 8)    /* the gateways of ABI 7 are in the host's namespace yet */

enum tsw_attach { TSW_ATTACH_TCX, TSW_ATTACH_CLSACT };
enum tsw_xdp { TSW_XDP_OFF, TSW_XDP_NATIVE, TSW_XDP_GENERIC };

/* A device that faces the other hosts. */
#define TSW_UNDERLAY_QDISC (1U << 0)   /* its clsact qdisc was made by the switch */
#define TSW_UNDERLAY_LEAVING (1U << 1) /* `switch set` is about to take it off; behind all others */
#define TSW_UNDERLAY_ABOVE (1U << 2)   /* a VLAN device on another: what it sends leaves by that */
#define TSW_UNDERLAY_BARE (1U << 3)    /* no link header: a tunnel device of others */

struct tsw_underlay {
	__u32 ifindex; /* 0: no more devices */
	__u16 xdp;     /* enum tsw_xdp: what is attached */
	__u16 flags;   /* TSW_UNDERLAY_* */
};

struct tsw_config {
	__u32 abi;    /* TSW_ABI_VERSION; first, for ever */
	__u32 flags;  /* TSW_CFG_* */
	__u64 secret; /* of the stamp, random for each `up`, see bpf/core/stamp.h */
	struct tsw_addr local[TSW_FAMILIES]; /* this host's VTEP; zero: none of this family */
	struct tsw_underlay underlay[TSW_UNDERLAYS];
	__u32 tunnel;		 /* ifindex of tsw-vx, the kernel's VXLAN device */
	__u32 gre[TSW_FAMILIES]; /* of the kernel's GRE devices; 0: it has none */
	__be16 port;		 /* UDP destination port of VXLAN */
	__u16 attach;		 /* enum tsw_attach */
	__u32 xdp_asked;	 /* the `xdp` word: enum tsw_xdp, or TSW_XDP_AUTO */
	__u32 max_endpoints;
	__u32 max_tenants;
	__u32 netns;	   /* inode number of the network namespace it is in */
	__u32 flags_asked; /* TSW_ASKED_*: what `up` was told, to know `up` again */
	__u32 gateway;	   /* ifindex of tsw-gw, which leads tenants into the router; 0: none */
	char name[TSW_NAME_LEN]; /* of this host */
	__u32 version;	  /* of the tsw whose programs run: major << 16 | minor << 8 | patch */
	__u32 generation; /* what is learned of flows is of this one: counts up with changes */
	__u64 build; /* of these programs: tells whether another tsw has others; 0: not known */
	__u64 pass;  /* random; proves a way through the host's stack, bpf/tunnel/host_pass.h */
	char zone[TSW_NAME_LEN]; /* what fails together with this host; "": not said */
	__u32 geneve; /* ifindex of tsw-gnv, which holds TSW_GENEVE_PORT's socket; 0: none */
	__u32 uplink; /* ifindex of tsw-up, between the router and this host's uplinks; 0: none */
	__u32 router; /* inode number of the router's network namespace; 0: none */
	__s32 nsid;   /* that namespace's number in the switch's; -1: none */
	struct tsw_mac seal; /* random source of frames between them, bpf/gateway/crossing.h */
	__u16 nat_low;	     /* by these ports tenants leave as this host; 0: no router yet */
	__u16 nat_high;
	__u16 nat_asked_low; /* what `nat-ports` was told; 0: auto */
	__u16 nat_asked_high;
	__u8 pad[2];
};

#define TSW_XDP_AUTO 0xffffU
#define TSW_ASKED_ATTACH (1U << 0)   /* `attach` was given, not found out */
#define TSW_ASKED_NO_LOCAL (1U << 1) /* `local` was not: it follows the devices' addresses */

/* tsw_totals: how full the switch is, entry 0 of an array; kept by the command alone. */
struct tsw_totals {
	__u32 tenants;
	__u32 hosts;
	__u32 endpoints;
	__u32 addrs;
	__u32 next_host;  /* where the search for a free host index starts */
	__u32 unsettled;  /* a command is at work, or was killed: count again */
	__u32 indexes;	  /* entries of tsw_marks */
	__u32 next_index; /* where the search for a free one starts */
};

/* tsw_tenants: tenant id -> tenant. */
#define TSW_TENANT_BROADCAST (1U << 0)	   /* copy broadcast and multicast */
#define TSW_TENANT_DHCP (1U << 1)	   /* DHCP is answered at the port */
#define TSW_TENANT_DNS (1U << 2)	   /* DNS, too */
#define TSW_TENANT_POLICY (1U << 3)	   /* its policy is not `off`, see abi_policy.h */
#define TSW_TENANT_FLOWS (1U << 4)	   /* its flows are counted, see abi_flows.h */
#define TSW_TENANT_NEVER_DEFAULT (1U << 5) /* DHCP and RAs tell of no default router */
#define TSW_TENANT_ANSWERS (TSW_TENANT_DHCP | TSW_TENANT_DNS)

struct tsw_tenant {
	__u32 encap;	 /* enum tsw_encap */
	__u32 mtu;	 /* of the inner IP packet; 0: what the way to a host leaves */
	__u32 flags;	 /* TSW_TENANT_* */
	__u32 endpoints; /* kept by the command alone */
	char name[TSW_NAME_LEN];
};

/* tsw_shares: tenant id -> its share of the room for endpoints. Command alone. */
struct tsw_share {
	__u32 endpoints; /* at most, as it was asked for; 0: it was not */
	__u32 addrs;	 /* that its endpoints have */
};

/* tsw_tenant_ids, tsw_host_ids: name -> tenant id, host index. */
struct tsw_name {
	char s[TSW_NAME_LEN]; /* all octets behind the text are zero */
};

/* tsw_hosts: host index, from 1 on -> host. tsw_vteps: address -> host index. */
#define TSW_HOST_CLEAR (1U << 0)  /* it has no key and needs none */
#define TSW_HOST_ODD (1U << 1)	  /* frames to it use its key of parity 1 */
#define TSW_HOST_COMING (1U << 2) /* for the command: its other key is new and not used yet */
#define TSW_HOST_BOTH (1U << 3)	  /* for the command: both keys were given */

struct tsw_host {
	struct tsw_addr addr[TSW_FAMILIES]; /* its VTEP; zero: none of this family */
	__u32 family;	 /* enum tsw_family: where to send to it; both are heard */
	__u16 preferred; /* enum tsw_family: of the address that was given first */
	__u16 flags;	 /* TSW_HOST_*, of account while TSW_CFG_ENCRYPT is set */
	__u32 endpoints; /* kept by the command alone */
	__u32 mtu;	 /* of the route or of its underlay; 0: as the device */
	char name[TSW_NAME_LEN];
	char zone[TSW_NAME_LEN]; /* what fails together; "": not said */
};

/* tsw_ports: ifindex of a veth's or netkit's host end or a tap -> who sits there. */
#define TSW_PORT_PEER (1U << 0)	    /* its other end is in another namespace */
#define TSW_PORT_GUARD_IP (1U << 1) /* it has addresses and may use no others */
#define TSW_PORT_QDISC (1U << 2)    /* its clsact qdisc was made by the switch */
#define TSW_PORT_SERVER (1U << 3)   /* may speak as DHCP server or router */
#define TSW_PORT_NETKIT (1U << 4)   /* its frames are seen as the container sends them */
#define TSW_PORT_POLICY (1U << 6)   /* as TSW_TENANT_POLICY of its tenant */
#define TSW_PORT_FLOWS (1U << 7)    /* as TSW_TENANT_FLOWS of its tenant */
#define TSW_PORT_XDP (1U << 31)	    /* in place of TSW_PORT_PEER: XDP there sees each frame */

struct tsw_port {
	__u32 tenant;
	__u32 flags; /* TSW_PORT_* */
	struct tsw_mac mac;
	__u8 pad[2];
};

/* tsw_fdb: {tenant, MAC} -> where it lives. */
struct tsw_fdb_key {
	__u32 tenant;
	struct tsw_mac mac;
	__u8 pad[2];
};

enum tsw_place { TSW_PLACE_PORT, TSW_PLACE_HOST, TSW_PLACE_GATEWAY };

struct tsw_fdb {
	__u32 place; /* enum tsw_place */
	__u32 id;    /* ifindex or host index; of a gateway nothing, see tsw_gateways */
};

/* tsw_addrs: {tenant, IP} -> its owner's MAC, and the next address in the endpoint's chain. */
struct tsw_addr_key {
	__u32 tenant;
	struct tsw_addr addr;
};

struct tsw_addr_owner {
	struct tsw_mac mac;
	__u8 kind, pad;	      /* TSW_ADDR_VIP; 0: an address of the endpoint's list */
	struct tsw_addr next; /* of the endpoint, from tsw_endpoint.first on; zero: no more */
};

/* tsw_endpoints: {tenant, name} -> endpoint; tsw_fdb has its place. */
#define TSW_ENDPOINT_PENDING (1U << 0) /* a command about it has not ended */
#define TSW_ENDPOINT_SERVER (1U << 1)  /* see TSW_PORT_SERVER */
/* Of a pending one: that command adds or deletes it, and a kill takes the endpoint away. */
#define TSW_ENDPOINT_GOING (1U << 2)
#define TSW_ENDPOINT_LISTED (1U << 3) /* of a pending one: its new list of addresses is whole */
#define TSW_ENDPOINT_XDP (1U << 4)    /* its port has TSW_PORT_XDP, if its device is a pair */
/* How far a command has come; all other flags are options of the endpoint. */
#define TSW_ENDPOINT_PROGRESS (TSW_ENDPOINT_PENDING | TSW_ENDPOINT_GOING | TSW_ENDPOINT_LISTED)

struct tsw_endpoint_key {
	__u32 tenant;
	struct tsw_name name;
};

struct tsw_endpoint {
	struct tsw_mac mac;
	__u8 pad[2];
	__u32 flags; /* TSW_ENDPOINT_* */
	struct tsw_addr first;
};

/*
 * tsw_groups: the receivers of a tenant's broadcast and multicast. Two rings with a head each, of
 * its ports here and of its other hosts. A member is in the ring while refs > 0.
 */
#define TSW_MEMBER_HOST 0x80000000U	 /* a host index; without it an ifindex */
#define TSW_MEMBER_PORTS 0U		 /* head of the ring of ports */
#define TSW_MEMBER_HOSTS TSW_MEMBER_HOST /* head of the ring of hosts */

struct tsw_group_key {
	__u32 tenant;
	__u32 member; /* TSW_MEMBER_* */
};

struct tsw_group {
	__u32 next; /* member; the head's after the last */
	__u32 prev;
	__u32 refs; /* endpoints there */
	__u32 pad;
};

/* tsw_drops: -> per-CPU struct tsw_counter. Tenant 0: not known. */
struct tsw_drop_key {
	__u32 tenant;
	__u16 reason;	 /* enum tsw_drop */
	__u16 direction; /* enum tsw_direction */
};

_Static_assert(sizeof(struct tsw_mac) == 6, "no padding in a MAC");
_Static_assert(sizeof(struct tsw_config) == 336, "ABI");
_Static_assert(sizeof(struct tsw_tenant) == 80, "ABI");
_Static_assert(sizeof(struct tsw_share) == 8, "ABI");
_Static_assert(sizeof(struct tsw_host) == 176, "ABI");
_Static_assert(sizeof(struct tsw_port) == 16, "ABI");
_Static_assert(sizeof(struct tsw_fdb_key) == 12, "ABI");
_Static_assert(sizeof(struct tsw_fdb) == 8, "ABI");
_Static_assert(sizeof(struct tsw_addr_key) == 20, "ABI");
_Static_assert(sizeof(struct tsw_addr_owner) == 24, "ABI");
_Static_assert(sizeof(struct tsw_endpoint_key) == 68, "ABI");
_Static_assert(sizeof(struct tsw_endpoint) == 28, "ABI");
_Static_assert(sizeof(struct tsw_group) == 16, "ABI");
_Static_assert(sizeof(struct tsw_drop_key) == 8, "ABI");

#include <tsw/abi_binding.h>
#include <tsw/abi_crypt.h>
#include <tsw/abi_fair.h>
#include <tsw/abi_fast.h>
#include <tsw/abi_flows.h>
#include <tsw/abi_gateway.h>
#include <tsw/abi_limit.h>
#include <tsw/abi_macs.h>
#include <tsw/abi_move.h>
#include <tsw/abi_policy.h>
#include <tsw/abi_probe.h>
#include <tsw/abi_router.h>
#include <tsw/abi_stats.h>
#include <tsw/abi_vip.h>
#include <tsw/abi_watch.h>
#endif
