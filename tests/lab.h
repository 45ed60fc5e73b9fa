/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bench of the packet tests: the programs loaded without being pinned or
 * attached, devices in a network namespace of the test's own, and five tenants with the
 * same MACs and addresses.
 *
 *	red, id 100      blue, id 200     green, id 150    large, id 2^24 + 100
 *	VXLAN            VXLAN            GRE              GRE
 *	A  port          A  port          A  port          A  port     MAC_A IP_A IP6_A
 *	B  port          B  port          B  port                      MAC_B IP_B IP6_B
 *	C  host 2        C  host 3        C  host 2        C  host 2   MAC_C IP_C IP6_C
 *	D  host 3        D  host 2        D  host 3        D  host 3   MAC_D IP_D IP6_D
 *	E  host 4        E  host 5        E  host 4        E  host 4   MAC_E IP_E IP6_E
 *	F  host 5        F  host 4        F  host 5        F  host 5   MAC_F IP_F IP6_F
 *	N  port, has no addresses                                      MAC_N
 *	G  gateway, served by all hosts, where not said otherwise      MAC_G IP_G IP6_G
 *
 * Host 2 has both families and is sent to by IPv4, host 3 has IPv4, host 4 IPv6, host 5
 * both and is sent to by IPv6. Only hosts 2 and 3 get a tenant's broadcast, unless a test says
 * more.
 *
 * A fifth, violet, id 250, has Geneve, and is like large otherwise.
 *
 * Ports have no TSW_PORT_PEER, so that a delivery shows in skb->cb where it goes.
 */
#ifndef TSW_TESTS_LAB_H
#define TSW_TESTS_LAB_H

#include <tsw/abi.h>
#include "frame.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define RED 100
#define BLUE 200
#define GREEN 150
#define LARGE (1U << 24 | RED) /* red's id is what is left of it in 24 bits */
#define VIOLET 250
#define TENANTS 5
#define NOBODY 0xffffffffU /* as a case's tenant: the drop is counted for none */

#define MAC_N "02:00:00:00:00:01"
#define IP_N "10.0.0.50"
#define IP6_N "fd00::50"
#define LL6_N "fe80::ff:fe00:1"

/* Devices. */
enum {
	RED_A = 101,
	RED_B,
	RED_N,
	BLUE_A,
	BLUE_B,
	STRANGE, /* no port of the switch, no underlay */
	WIRE,
	TUNNEL, /* in place of tsw-vx */
	WIRE2,	/* the second underlay */
	GREEN_A,
	GREEN_B,
	LARGE_A,
	VIOLET_A,
	GRE4, /* in place of the kernel's GRE devices */
	GRE6,
	GNV, /* and of its Geneve device */
	GW,  /* in place of tsw-gw, in both namespaces */
	UP,  /* in place of tsw-up, likewise; it does not forward, if a test does not say so */
};

/* Host indices; what lives nowhere else has an endpoint on each, of red and of green. */
enum {
	HOST2 = 2,
	HOST3,
	HOST4,
	HOST5,
	HOST_SILENT,
	HOST_NO_ROUTE,
	HOST_STRAY,
	HOST_ROUTED,
	HOST_TWO_WAYS,
	HOST6_SILENT,
	HOST6_NO_ROUTE,
	HOST6_STRAY,
	HOST6_ROUTED,
	HOST6_TWO_WAYS,
	HOST_GONE,
	HOSTS
};

#define MAC_ON_SILENT "02:00:00:00:00:16"
#define MAC_ON_NO_ROUTE "02:00:00:00:00:17"
#define MAC_ON_STRAY "02:00:00:00:00:18"
#define MAC_ON_ROUTED "02:00:00:00:00:19"
#define MAC_ON_TWO_WAYS "02:00:00:00:00:1a"
#define MAC_ON_SILENT6 "02:00:00:00:00:1b"
#define MAC_ON_NO_ROUTE6 "02:00:00:00:00:1c"
#define MAC_ON_STRAY6 "02:00:00:00:00:1d"
#define MAC_ON_ROUTED6 "02:00:00:00:00:1e"
#define MAC_ON_TWO_WAYS6 "02:00:00:00:00:1f"
#define MAC_ON_GONE "02:00:00:00:00:20"

#define SECRET 0x1122334455667788ULL
#define CROSSING 0xffffffffU			      /* in a stamp, see bpf/gateway/crossing.h */
#define SEAL "02:5e:a1:5e:a1:01"		      /* MAC, see bpf/gateway/crossing.h */
#define TUNNEL_MARK ((0x11223344U ^ 0x55667788U) | 1) /* ABI 4's in place of the pass */
/* Without the parts that go into tc_index, which a test run cannot set. */
#define LAB_PASS 0x00005a6b7c8d0000ULL
#define PASS_UP 0x5a6b7c8dU /* as priorities */
#define PASS_DOWN 0x00005a6bU
#define PASS_ASK 0xaf8b1c2bU /* an agent's socket: see ask_priority.py */
#define UNDERLAY_MTU 1500
/* What is left of it for a tenant's packet. */
#define INNER_MTU (UNDERLAY_MTU - 50)
#define INNER_MTU_V6 (UNDERLAY_MTU - 70)
#define INNER_MTU_GRE (UNDERLAY_MTU - 42)
#define INNER_MTU_GRE_V6 (UNDERLAY_MTU - 62)

enum program {
	FROM_PORT,
	TO_PORT,
	FROM_WIRE,
	TO_WIRE,
	FROM_TUNNEL,
	FROM_GATEWAY,
	FAST_GATEWAY,
	TO_GATEWAY, /* this one and the next four are the router's */
	LEAVE_GATEWAY,
	LEAVE_BLIND, /* as that, where conntrack cannot be read */
	ENTER_WORLD,
	LEAVE_WORLD,
	FROM_WORLD,
	TO_WORLD,
	XDP,
	XDP_NATIVE
};

#define LAB_CPUS 1024 /* enough for what any machine's per-CPU maps hold */

int lab_open(void); /* into the new namespace; 0, or -1 and the reason on stderr */
void lab_close(void);
/* Its descriptor. It is verified when it is asked for first; what cannot be ends the program. */
int lab_program(enum program program);
int lab_program_named(const char *name); /* as the object has it */
struct bpf_object *lab_object(void);	 /* for its maps, and names of programs; none is loaded */

/* The maps that the programs read. Each call sets one entry, or ends the program. */
enum map {
	M_CONFIG,
	M_CRYPT,
	M_TENANTS,
	M_HOSTS,
	M_VTEPS,
	M_PORTS,
	M_DEVICES,
	M_CRYPT_DEVICES,
	M_FDB,
	M_ADDRS,
	M_BINDINGS,
	M_BOUND,
	M_VIPS,
	M_TAKEN,
	M_MACS,
	M_INNER,
	M_PREFIXES,
	M_LIMITS,
	M_GROUPS,
	M_GATEWAYS,
	M_MARKS,
	M_PEER_ROUTES,
	M_FLOWS,
	M_NAMES,
	M_ENDPOINTS,
	M_NETS,
	M_DOMAINS,
	M_BOOT,
	M_RELAYS,
	M_MOVES,
	M_FAST,
	M_PROBES,
	M_SNATS,
	M_SNAT_USERS,
	M_PUBLISH,
	M_CLOSED,
	M_ROUTED,
	M_UPLINK_SLOTS,
	M_UPLINK_ADDRS,
	M_ASKED,
	M_EXPECTED,
	M_POLICIES,
	M_POLICY_MEMBERS,
	M_POLICY_WAYS,
	M_POLICY_CIDRS,
	M_POLICY_CONNS,
	M_POLICY_HITS,
	M_FLOW_TABLES,
	M_FLOW_CACHE,
	M_STATS,
	M_HOST_STATS,
	M_DROPS,
	M_REPLY,
	MAPS
};

void lab_fill(void);	   /* all as in the picture above */
int lab_map(enum map map); /* its descriptor */
void lab_set(enum map map, const void *key, const void *value);
void lab_unset(enum map map, const void *key);
void lab_clear(enum map map);
/* As while another frame is answered on each CPU: tsw_reply, whose last word tells. */
void lab_reply_busy(bool busy);
bool lab_reply_is_busy(void);		 /* on any CPU */
void lab_config(struct tsw_config *cfg); /* reads */
void lab_config_set(const struct tsw_config *cfg);
void lab_changed(void); /* as a command says it when it ends */
void lab_config_flag(__u32 set, __u32 clear);
void lab_config_local(const char *ip); /* of its family */
void lab_config_no_local(enum tsw_family family);
void lab_config_gre(__u32 v4, __u32 v6); /* devices, or 0 */
void lab_config_geneve(__u32 ifindex);
void lab_tenant(__u32 tenant, __u32 mtu, __u32 flags); /* as it speaks in the picture */
/* So that what goes on to all is seen by the counter of what may not. */
void lab_broadcast_off(__u32 tenant);
void lab_port(__u32 ifindex, __u32 tenant, const char *mac, __u32 flags);
/* Beside its flags: of a tenant; of the endpoint's port or, with mac NULL, of all ports. */
void lab_tenant_flag(__u32 tenant, __u32 flag);
void lab_port_flag(__u32 tenant, const char *mac, __u32 flag);
void lab_fdb(__u32 tenant, const char *mac, enum tsw_place place, __u32 id);
void lab_fdb_unset(__u32 tenant, const char *mac);
/* A full bucket of so many octets, of the endpoint's port or, with mac NULL, of the tenant. */
void lab_limit(__u32 tenant, const char *mac, enum tsw_rate which, __u64 rate, __u32 octets);
struct tsw_bucket lab_bucket(__u32 tenant, const char *mac, enum tsw_rate which);
void lab_bucket_set(__u32 tenant, const char *mac, enum tsw_rate which, const struct tsw_bucket *b);
void lab_addr(__u32 tenant, const char *ip, const char *mac);
/* Answered for: DHCP is told of the endpoint by its name, and of an address of it. */
void lab_name(__u32 tenant, const char *mac, const char *name, const char *first_ip);
void lab_net(__u32 tenant, const char *ip, __u32 len); /* its only one; len of 128 */
void lab_domain(__u32 tenant, const char *name);
void lab_host(__u32 id, const char *ip); /* one more address of it; the first is sent to */
void lab_host_mtu(__u32 id, __u32 mtu);	 /* of the route there, as the command read it */
void lab_vtep_unset(const char *ip);
void lab_ring(__u32 tenant, __u32 head, const __u32 *members, size_t count);
int lab_slot(__u32 tenant); /* 0, 1, ... as in the picture; TENANTS: none of them */

/* What is in tsw_flows, by the words of a frame; sport is the identifier of an echo. */
struct lab_flow {
	__u32 tenant; /* 0: red */
	const char *src, *dst;
	__u16 sport, dport;
	__u8 proto;
	__u32 host;
	__u32 idle; /* seconds since it was seen; not compared */
};

/* Gateways; a tenant's index is its place in the picture, from 1 on. */
void lab_gateways_fill(void);
void lab_gateway_get(__u32 tenant, struct tsw_gateway *gw);
void lab_gateway_set(__u32 tenant, const struct tsw_gateway *gw);
/*
 * Who serves it and who did, hosts' indices, each alone: no flags; its drain is over in so many
 * seconds, 0: there is none.
 */
void lab_gateway(__u32 tenant, __u32 host, __u32 old, int drain);
void lab_gateway_flags(__u32 tenant, __u32 flags);
void lab_no_door(void); /* tsw-gw is not in the configuration */
void lab_gateway_mac(__u32 tenant, const char *mac);
void lab_gateway_unset(__u32 tenant); /* the record alone */
void lab_mark(__u32 index, __u32 tenant, __u32 peer);
void lab_peer(__u32 tenant, const char *ip, __u32 len, __u32 peer, __u32 index); /* a route */
void lab_flow(const struct lab_flow *flow);
bool lab_flow_is(const struct lab_flow *flow); /* the only one there is; NULL: none is */

/* Programs on devices, one in each direction. What fails ends the program. */
void lab_attach_xdp(__u32 ifindex, int fd);
void lab_attach_tc(__u32 ifindex, bool egress, int fd);
/* What a container sends is switched: the tap of its end, DEV. */
int lab_attach_port(__u32 ifindex, const char *dev);
void lab_detach(void); /* all */

/* The network namespace. */
int lab_net_make(void);				      /* 0, or -errno */
void lab_run(const char *command);		      /* by the shell */
void lab_ip(const char *commands);		      /* lines for `ip -batch` */
void lab_sysctl(const char *name, const char *value); /* below /proc/sys/net/ */
int lab_tap(const char *dev);		      /* a socket that hears what arrives at a device */
void lab_say(int tap, const struct frame *f); /* sends it out of that device */
bool lab_heard(int tap, int wait_ms, struct frame *f); /* the next frame, if there is one */
/*
 * The router's programs run in the bench's own namespace, which has no number, until it is made:
 * then `gw1` and `tsup1` are in another, which the configuration tells.
 */
void lab_router_make(void);
void lab_router_enter(void);
void lab_router_leave(void);
void lab_router_config(struct tsw_config *cfg);

/* A device without a link header, up, without addresses; read and written are its packets. */
int lab_tun(const char *dev);

#endif
