/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libtsw: hosts, tenants, endpoints, gateways, published ports, peerings, policy. See switch.h for
 * errors and threads.
 *
 * _add refuses what is there already (-EEXIST), _put makes it what is said whether or not it is
 * there, _del refuses what is not there (-ENOENT). To change one field: _get, change, _put. All
 * is checked before anything is changed.
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

/* Text as tsw(8) has it; -EINVAL with the text quoted. "10.0.0.1", "fd00::1"; "02:00:00:00:00:01";
 * "10.0.0.1/24". */
int tsw_read_name(const char *text, struct tsw_name *name);
int tsw_read_addr(const char *text, struct tsw_addr *addr);
int tsw_read_mac(const char *text, struct tsw_mac *mac);
int tsw_read_prefix(const char *text, struct tsw_prefix *prefix);

/* Zero: none; of connections and half_open: the default, and all ones none. */
struct tsw_limits {
	__u64 rate[TSW_RATES]; /* bits a second; TSW_RATE_OUT: from endpoints */
	__u32 burst;	       /* octets; 0: what goes with each rate */
	__u32 connections;     /* at the gateway, of a tenant alone */
	__u32 half_open;       /* likewise */
};

/* A public key of WireGuard's. */
struct tsw_key {
	__u8 octet[TSW_CRYPT_KEY];
};

/* A host's: one, and while it changes it the old one and the new one, whose parities differ. */
struct tsw_key_list {
	__u32 n;
	struct tsw_key at[TSW_CRYPT_PARITIES];
};

struct tsw_host_spec {
	struct tsw_name name;
	struct tsw_addr_pair ip; /* its VTEPs */
	struct tsw_name zone;	 /* what fails together with it; empty: not said */
	struct tsw_key_list key; /* by which frames to it are encrypted; none: it has none */
};
int tsw_host_add(struct tsw *t, const struct tsw_host_spec *spec);
int tsw_host_put(struct tsw *t, const struct tsw_host_spec *spec);
int tsw_host_del(struct tsw *t, const char *name);

/* What the switch chooses: the field is not looked at. One that is there keeps what it has, where
 * that is good. Of `ip`: an address of each of the tenant's nets, before those that are given. */
#define TSW_AUTO_ID (1U << 0)  /* of a tenant */
#define TSW_AUTO_MAC (1U << 1) /* of an endpoint */
#define TSW_AUTO_IP (1U << 2)  /* likewise */

struct tsw_tenant_spec {
	struct tsw_name name;
	__u32 id;    /* the VNI, or the key of GRE */
	__u32 encap; /* enum tsw_encap */
	__u32 mtu;   /* octets; 0: what the underlay allows */
	bool broadcast;
	bool dhcp; /* its endpoints are told of their addresses when they ask by DHCP */
	bool dns;  /* and of each other's, and names, by DNS: NAME.TENANT.DOMAIN */
	struct tsw_name domain; /* empty: tsw.internal */
	struct tsw_limits limits;
	struct tsw_prefix_list net; /* its subnets, for TSW_AUTO_IP */
	struct tsw_description description;
	__u32 policy;	     /* enum tsw_policy_mode */
	__u32 deny;	     /* enum tsw_policy_action: of who is in no group, where no rule says */
	bool flows;	     /* who talks to whom is counted */
	__u32 flow_entries;  /* so many flows at most; 0: TSW_FLOWS */
	__u32 max_endpoints; /* its share; 0: seven eighths of the switch's, 1024 at least */
	__u32 automatic;     /* TSW_AUTO_ID, or 0; _get tells then what was taken */
};
#define TSW_TENANT_DEFAULTS       \
	{                         \
		.broadcast = true \
	}
int tsw_tenant_add(struct tsw *t, const struct tsw_tenant_spec *spec);
int tsw_tenant_put(struct tsw *t, const struct tsw_tenant_spec *spec);
int tsw_tenant_get(struct tsw *t, const char *name, struct tsw_tenant_spec *spec);
int tsw_tenant_del(struct tsw *t, const char *name, bool force); /* with all that it has */

/* Counted since it was made, summed over all CPUs. DROPS: frames, for whatever reason. */
int tsw_tenant_counters(struct tsw *t, const char *name, struct tsw_stats *stats, __u64 *drops);

/* Groups that an endpoint is in, in the order of their names. */
struct tsw_group_list {
	__u32 n;
	struct tsw_name at[TSW_POLICY_MEMBER];
};

struct tsw_endpoint_spec {
	struct tsw_name name;
	struct tsw_name tenant;
	struct tsw_mac mac;
	struct tsw_addr_list ip;
	char dev[IFNAMSIZ];	 /* here; or */
	struct tsw_name host;	 /* on another host */
	char to_dev[IFNAMSIZ];	 /* about to move to this device, or */
	struct tsw_name to_host; /* to this host */
	bool server;		 /* may speak as DHCP server or router */
	bool xdp;		 /* all that it gets passes XDP programs of its own */
	struct tsw_limits limits;
	struct tsw_group_list group; /* of its tenant, each is there already */
	__u32 automatic;	     /* TSW_AUTO_MAC, TSW_AUTO_IP; _get tells then what was taken */
};
int tsw_endpoint_add(struct tsw *t, const struct tsw_endpoint_spec *spec);
/* With neither dev nor host one that is there stays where it is, and goes on moving. */
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
	struct tsw_name host;	     /* that serves it; empty: each serves its own */
	struct tsw_name_list backup; /* who takes over; goes with host */
	struct tsw_mac mac;	     /* zero: the tenant's own, the same on every host */
	bool nat;
	struct tsw_addr_pair snat;     /* to leave as, with nat; zero: the uplink's */
	struct tsw_addr_pair resolver; /* is asked for names that are not the tenant's */
	bool slow;		       /* all its frames go by the router's rules: `fast off` */
	bool metadata;		       /* clouds' metadata addresses are reached */
	struct tsw_tracking tracking;
	__u32 drain; /* seconds that the host before keeps its flows, where `host` changes */
};
#define TSW_GATEWAY_DEFAULTS \
	{                    \
		.nat = true  \
	}
int tsw_gateway_add(struct tsw *t, const char *tenant, const struct tsw_gateway_spec *spec);
int tsw_gateway_put(struct tsw *t, const char *tenant, const struct tsw_gateway_spec *spec);
int tsw_gateway_get(struct tsw *t, const char *tenant, struct tsw_gateway_spec *spec);
int tsw_gateway_del(struct tsw *t, const char *tenant, bool force);

enum tsw_proto { TSW_PROTO_TCP, TSW_PROTO_UDP };

struct tsw_target {
	struct tsw_addr addr;
	__u32 port; /* host byte order, as all below */
};

struct tsw_publish_spec {
	__u32 proto; /* enum tsw_proto */
	__u32 port;
	struct tsw_target to;
	struct tsw_name host; /* in a state alone: of which host's addresses */
};
int tsw_publish_add(struct tsw *t, const char *tenant, const struct tsw_publish_spec *spec);
/* Without `to`: the port's mappings of both families. */
int tsw_publish_del(struct tsw *t, const char *tenant, const struct tsw_publish_spec *spec);

/* One half: TENANT's. Both halves, and what both allow, open the way. */
struct tsw_peer_spec {
	struct tsw_name tenant;
	struct tsw_name with;
	__u32 proto; /* enum tsw_proto; without port: of all */
	__u32 port;
	struct tsw_prefix_list prefix; /* none: the networks of TENANT's gateway */
};
int tsw_peer_add(struct tsw *t, const struct tsw_peer_spec *spec);
int tsw_peer_del(struct tsw *t, const char *tenant, const char *with);

/* Groups of a tenant's endpoints, for its policy; -EBUSY while an endpoint or a rule uses it. */
int tsw_group_add(struct tsw *t, const char *tenant, const char *name);
int tsw_group_del(struct tsw *t, const char *tenant, const char *name);

enum tsw_who { TSW_WHO_ANY, TSW_WHO_GROUP, TSW_WHO_CIDR };

/* One end of what a rule is about. */
struct tsw_policy_who {
	__u32 who; /* enum tsw_who */
	struct tsw_name group;
	struct tsw_prefix cidr; /* no bit is set behind its length */
};

enum tsw_policy_proto {
	TSW_POLICY_PROTO_ANY,
	TSW_POLICY_TCP,
	TSW_POLICY_UDP,
	TSW_POLICY_ICMP, /* ICMPv6, too */
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
	__u32 priority;		    /* 1 to 65535, a higher one goes first */
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
 * All that there are, hosts and tenants by name. EACH is called with one after the other; other
 * than 0 ends it, and is returned where it is negative. It may not change anything by T. TENANT may
 * be NULL: endpoints of all.
 */
int tsw_hosts(struct tsw *t, int (*each)(void *context, const struct tsw_host_spec *spec),
	      void *context);
int tsw_tenants(struct tsw *t, int (*each)(void *context, const struct tsw_tenant_spec *spec),
		void *context);
int tsw_endpoints(struct tsw *t, const char *tenant,
		  int (*each)(void *context, const struct tsw_endpoint_spec *spec), void *context);
/* Of one tenant, by name. */
int tsw_groups(struct tsw *t, const char *tenant,
	       int (*each)(void *context, const struct tsw_name *name), void *context);
int tsw_policies(struct tsw *t, const char *tenant,
		 int (*each)(void *context, const struct tsw_policy_spec *spec), void *context);

#ifdef __cplusplus
}
#endif

#endif
