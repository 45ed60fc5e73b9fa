/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libtsw: hosts, tenants, endpoints, gateways, published ports, peerings, policy. See switch.h for
 * errors and threads.
 *
 * _add refuses an object that exists (-EEXIST). _put adds or changes it. _del refuses an object
 * that does not exist (-ENOENT). To change one field: _get, change, _put. All is checked before
 * anything changes.
 */
#ifndef LIBTSW_OBJECT_H
#define LIBTSW_OBJECT_H

#include <tsw/switch.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TSW_ENDPOINT_IPS 64 /* at most */

struct tsw_addr_list {
	unsigned int n;
	struct tsw_addr at[TSW_ENDPOINT_IPS];
};

struct tsw_prefix_list {
	__u32 n;
	struct tsw_prefix at[TSW_GATEWAY_ADDRS];
};

/* Read text in the form of tsw(8): "10.0.0.1", "fd00::1"; "02:00:00:00:00:01"; "10.0.0.1/24".
 * -EINVAL for other text, which the message quotes. */
int tsw_read_name(const char *text, struct tsw_name *name);
int tsw_read_addr(const char *text, struct tsw_addr *addr);
int tsw_read_mac(const char *text, struct tsw_mac *mac);
int tsw_read_prefix(const char *text, struct tsw_prefix *prefix);

/* Zero: no limit. For connections and half_open zero is the default, and all ones is no limit. */
struct tsw_limits {
	__u64 rate[TSW_RATES]; /* bits a second; TSW_RATE_OUT: from endpoints */
	__u32 burst;	       /* octets; 0: derived from each rate */
	__u32 connections;     /* at the gateway; only of tenants */
	__u32 half_open;       /* at the gateway; only of tenants */
};

/* A public key of WireGuard. */
struct tsw_key {
	__u8 octet[TSW_CRYPT_KEY];
};

/* A host's key; during a rekey the old one and the new one, whose parities differ. */
struct tsw_key_list {
	__u32 n;
	struct tsw_key at[TSW_CRYPT_PARITIES];
};

struct tsw_host_spec {
	struct tsw_name name;
	struct tsw_addr_pair ip; /* its VTEPs */
	struct tsw_name zone;	 /* hosts of one zone fail together; empty: unknown */
	struct tsw_key_list key; /* for frames to it; empty: it has no key */
	__u32 mtu;		 /* the least of its underlay's devices; 0: not known */
};
int tsw_host_add(struct tsw *t, const struct tsw_host_spec *spec);
int tsw_host_put(struct tsw *t, const struct tsw_host_spec *spec);
int tsw_host_del(struct tsw *t, const char *name);

/* The switch chooses the field and ignores its value. An existing object keeps its valid value. For
 * `ip` it chooses an address of each of the tenant's nets, in front of those that are given. */
#define TSW_AUTO_ID (1U << 0)  /* of a tenant */
#define TSW_AUTO_MAC (1U << 1) /* of an endpoint */
#define TSW_AUTO_IP (1U << 2)  /* of an endpoint */

struct tsw_boot_file {
	char text[TSW_BOOT_FILE]; /* printable ASCII without spaces, with the final NUL */
};

struct tsw_tenant_spec {
	struct tsw_name name;
	__u32 id;    /* the VNI, or the key of GRE */
	__u32 encap; /* enum tsw_encap */
	__u32 mtu;   /* octets; 0: what the underlay allows */
	bool broadcast;
	bool dhcp;		/* the switch answers DHCP of its endpoints with their addresses */
	bool never_default;	/* these answers give no default route */
	bool dns;		/* the switch answers DNS for NAME.TENANT.DOMAIN of its endpoints */
	struct tsw_name domain; /* empty: tsw.internal */
	struct tsw_addr_pair
		dhcp_relay; /* its own DHCP servers, which answer in place of the switch */
	struct tsw_addr_pair boot_server; /* where endpoints boot from; both or neither */
	struct tsw_boot_file boot_file;
	struct tsw_limits limits;
	struct tsw_prefix_list net; /* its subnets, for TSW_AUTO_IP */
	struct tsw_description description;
	__u32 policy;	     /* enum tsw_policy_mode */
	__u32 deny;	     /* enum tsw_policy_action: without a rule, outside of groups */
	bool flows;	     /* its flows are counted */
	__u32 flow_entries;  /* how many flows at most; 0: TSW_FLOWS */
	__u32 max_endpoints; /* its share; 0: seven eighths of the switch's, at least 1024 */
	__u32 automatic;     /* TSW_AUTO_ID, or 0; then _get says what was chosen */
};
#define TSW_TENANT_DEFAULTS       \
	{                         \
		.broadcast = true \
	}
int tsw_tenant_add(struct tsw *t, const struct tsw_tenant_spec *spec);
int tsw_tenant_put(struct tsw *t, const struct tsw_tenant_spec *spec);
int tsw_tenant_get(struct tsw *t, const char *name, struct tsw_tenant_spec *spec);
int tsw_tenant_del(struct tsw *t, const char *name, bool force); /* FORCE: with its endpoints */

/* Counts since the tenant was added, over all CPUs. DROPS: frames dropped for any reason. */
int tsw_tenant_counters(struct tsw *t, const char *name, struct tsw_stats *stats, __u64 *drops);

/* The groups of an endpoint, sorted by name. */
struct tsw_group_list {
	__u32 n;
	struct tsw_name at[TSW_POLICY_MEMBER];
};

/* Addresses that an endpoint may take by announcing them, as others of its tenant may. */
struct tsw_vip_list {
	__u32 n;
	struct tsw_addr at[TSW_VIPS];
};

struct tsw_endpoint_spec {
	struct tsw_name name;
	struct tsw_name tenant;
	struct tsw_mac mac;
	struct tsw_addr_list ip;
	char dev[IFNAMSIZ];	 /* its device on this host; or */
	struct tsw_name host;	 /* its other host */
	char to_dev[IFNAMSIZ];	 /* it is about to move to this device; or */
	struct tsw_name to_host; /* to this host */
	bool server;		 /* may act as DHCP server and router */
	bool xdp;		 /* every frame to it passes its own XDP programs */
	struct tsw_limits limits;
	struct tsw_group_list group; /* existing groups of its tenant */
	struct tsw_vip_list vip;
	struct tsw_prefix_list prefix; /* networks behind it, which it may send from */
	__u32 macs;		       /* how many other MACs it may send from */
	__u32 automatic; /* TSW_AUTO_MAC, TSW_AUTO_IP; then _get says what was chosen */
};
int tsw_endpoint_add(struct tsw *t, const struct tsw_endpoint_spec *spec);
/* Without dev and host an existing endpoint keeps its place and its move. */
int tsw_endpoint_put(struct tsw *t, const struct tsw_endpoint_spec *spec);
int tsw_endpoint_get(struct tsw *t, const char *tenant, const char *name,
		     struct tsw_endpoint_spec *spec);
int tsw_endpoint_del(struct tsw *t, const char *tenant, const char *name);

/* The backups of a gateway's first host, in order. */
struct tsw_name_list {
	__u32 n;
	struct tsw_name at[TSW_GATEWAY_RANKS - 1];
};

/* How the router's conntrack follows a tenant's connections. */
struct tsw_tracking {
	__u32 timeout[TSW_TIMEOUT_OWN]; /* seconds, by enum tsw_timeout; 0: the host's */
	bool helper[TSW_HELPERS];	/* by enum tsw_helper */
};

struct tsw_gateway_spec {
	struct tsw_prefix_list ip;
	struct tsw_name host;	     /* serves it; empty: each host serves its own endpoints */
	struct tsw_name_list backup; /* hosts that take over, in order; only with host */
	struct tsw_mac mac;	     /* zero: the tenant's own, the same on every host */
	bool nat;
	struct tsw_addr_pair snat;     /* source addresses of NAT; zero: the uplink's */
	struct tsw_addr_pair resolver; /* DNS servers for names that are not the tenant's */
	bool fast;		       /* false: all its frames pass the router's rules */
	bool metadata;		       /* tenants may reach closed networks, such as metadata */
	struct tsw_tracking tracking;
	__u32 drain; /* if `host` changes: seconds for which the old host keeps its flows */
};
#define TSW_GATEWAY_DEFAULTS              \
	{                                 \
		.nat = true, .fast = true \
	}
int tsw_gateway_add(struct tsw *t, const char *tenant, const struct tsw_gateway_spec *spec);
int tsw_gateway_put(struct tsw *t, const char *tenant, const struct tsw_gateway_spec *spec);
int tsw_gateway_get(struct tsw *t, const char *tenant, struct tsw_gateway_spec *spec);
int tsw_gateway_del(struct tsw *t, const char *tenant, bool force);

enum tsw_proto { TSW_PROTO_TCP, TSW_PROTO_UDP };

struct tsw_target {
	struct tsw_addr addr;
	__u32 port; /* host byte order, like all ports below */
};

struct tsw_publish_spec {
	__u32 proto; /* enum tsw_proto */
	__u32 port;
	struct tsw_target to;
	struct tsw_name host; /* only in a state: the host whose addresses publish it */
};
int tsw_publish_add(struct tsw *t, const char *tenant, const struct tsw_publish_spec *spec);
/* Without `to` it deletes the port's mappings of both families. */
int tsw_publish_del(struct tsw *t, const char *tenant, const struct tsw_publish_spec *spec);

/* TENANT's half of a peering. Only both halves, where both allow the same, open the way. */
struct tsw_peer_spec {
	struct tsw_name tenant;
	struct tsw_name with;
	__u32 proto; /* enum tsw_proto; ignored if port is 0, which means all */
	__u32 port;
	struct tsw_prefix_list prefix; /* empty: the networks of TENANT's gateway */
};
int tsw_peer_add(struct tsw *t, const struct tsw_peer_spec *spec);
int tsw_peer_del(struct tsw *t, const char *tenant, const char *with);

/* Groups of a tenant's endpoints, for its policy. -EBUSY: an endpoint or a rule uses the group. */
int tsw_group_add(struct tsw *t, const char *tenant, const char *name);
int tsw_group_del(struct tsw *t, const char *tenant, const char *name);

enum tsw_who { TSW_WHO_ANY, TSW_WHO_GROUP, TSW_WHO_CIDR };

/* One end of the connections of a rule. */
struct tsw_policy_who {
	__u32 who; /* enum tsw_who */
	struct tsw_name group;
	struct tsw_prefix cidr; /* no bit is set behind its length */
};

enum tsw_policy_proto {
	TSW_POLICY_PROTO_ANY,
	TSW_POLICY_TCP,
	TSW_POLICY_UDP,
	TSW_POLICY_ICMP, /* and ICMPv6 */
	TSW_POLICY_SCTP,
};
/* A rule of a tenant's policy: see docs/policy.md. */
struct tsw_policy_spec {
	struct tsw_name name;
	struct tsw_policy_who from;
	struct tsw_policy_who to;
	__u32 proto;		    /* enum tsw_policy_proto */
	struct tsw_port_range port; /* with TCP, UDP or SCTP */
	__u32 action;		    /* enum tsw_policy_action */
	__u32 priority;		    /* 1 to 65535; the highest decides */
	bool log;
};
#define TSW_POLICY_DEFAULTS      \
	{                        \
		.priority = 1000 \
	}
int tsw_policy_add(struct tsw *t, const char *tenant, const struct tsw_policy_spec *spec);
int tsw_policy_put(struct tsw *t, const char *tenant, const struct tsw_policy_spec *spec);
int tsw_policy_get(struct tsw *t, const char *tenant, const char *name,
		   struct tsw_policy_spec *spec);
int tsw_policy_del(struct tsw *t, const char *tenant, const char *name);

/*
 * Call EACH for all objects; hosts and tenants are sorted by name. A result other than 0 ends the
 * list; a negative one is returned. EACH must not change anything by T. TENANT may be NULL:
 * endpoints of all tenants.
 */
int tsw_hosts(struct tsw *t, int (*each)(void *context, const struct tsw_host_spec *spec),
	      void *context);
int tsw_tenants(struct tsw *t, int (*each)(void *context, const struct tsw_tenant_spec *spec),
		void *context);
int tsw_endpoints(struct tsw *t, const char *tenant,
		  int (*each)(void *context, const struct tsw_endpoint_spec *spec), void *context);
/* The groups and rules of one tenant, sorted by name. */
int tsw_groups(struct tsw *t, const char *tenant,
	       int (*each)(void *context, const struct tsw_name *name), void *context);
int tsw_policies(struct tsw *t, const char *tenant,
		 int (*each)(void *context, const struct tsw_policy_spec *spec), void *context);

#ifdef __cplusplus
}
#endif

#endif
