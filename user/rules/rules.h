/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules that refuse a request, with their messages. A switch and a cluster look up what they
 * have, and then ask the same rule. A rule reads neither maps nor records. It returns 0, or the
 * negative error number after setting the message.
 */
#ifndef TSW_RULES_H
#define TSW_RULES_H

#include <tsw/object.h>

/* How a request changes an object. */
enum spec_how {
	SPEC_ADD, /* the object must not exist, unless it was never completed */
	SPEC_PUT, /* the object may exist; fields that are not given get their defaults */
	SPEC_SET, /* the object must exist; it keeps fields that are not given */
};

/* ---- an object exists, or does not: each function refuses --------------------------- */

/* -ENOENT: there is no WHAT of that name, or the tenant has none. */
int rule_missing(const char *what, const char *name);
/* The other host NAME is to be changed; OWN: this host. */
int rule_no_host(const char *name, const char *own);
int rule_lacks(const char *tenant, const char *what, const char *name);
int rule_no_gateway(const char *tenant);
int rule_no_peer(const char *tenant, const char *with);
int rule_no_publish(const char *tenant, const struct tsw_publish_spec *spec);

/* -EEXIST. WHAT is a noun with its article. */
int rule_has(const char *tenant, const char *what, const char *name);
int rule_has_gateway(const char *tenant, const struct tsw_prefix *ip);
int rule_tenant_exists(const char *name, __u32 id);
int rule_host_exists(const char *name, const struct tsw_addr *ip);
int rule_is_peer(const char *tenant, const char *with);
int rule_is_published(const char *tenant, const struct tsw_publish_spec *spec);

int rule_id_taken(__u32 id, const char *tenant);
/* WHAT is "address" or "MAC". OWNER comes from rule_owner_text(), or is "" if unknown. */
int rule_taken(const char *tenant, const char *what, const char *text, const char *owner);
/* ENDPOINT NULL stands for the gateway. */
const char *rule_owner_text(const char *endpoint);

/* -ENOTUNIQ: both tenants have such an endpoint, and the request names no tenant. */
int rule_ambiguous(const char *tenant, const char *other, const char *name);

/* ---- tenants ---------------------------------------------------------------------- */

/* The objects that refer to a tenant. */
struct rule_uses {
	__u64 endpoints;
	bool policy; /* groups or rules */
	bool gateway;
};

/* The tenant is to be deleted without force. */
int rule_tenant_del(const struct rule_uses *uses);
/* A tenant with the id OLD is to get another id. */
int rule_renumber(__u32 old, const struct rule_uses *uses);

/* MOST is the highest id that the tenant's encapsulation can carry. */
int rule_tenant_id(__u32 id, __u32 most);
/* LIMIT is the MTU that the underlay allows with the tenant's encapsulation; 0: unknown. */
int rule_mtu(const struct tsw_tenant_spec *spec, __u32 limit);
/* MTU 0: unknown. */
int rule_burst(const struct tsw_limits *limits, __u32 mtu);

/* ---- hosts and endpoints ---------------------------------------------------------- */

enum { RULE_NAMED = 3 };

/* The first RULE_NAMED of some endpoints, for a message, and how many there are. */
struct rule_names {
	__u64 n;
	char text[256];
};

/* Adds an endpoint of TENANT. */
void rule_name(struct rule_names *names, const char *tenant, const char *endpoint);

/* A host with these endpoints is to be deleted without force. */
int rule_host_del(const struct rule_names *endpoints);
/* The host to delete serves the tenant's gateway, as the FIRST choice or as a backup. */
int rule_host_serves(const char *tenant, bool first);

/* The tenant has no net to take an address from. OPTION is "-c " for a cluster, else "". */
int rule_no_net(const char *tenant, const char *option);
/* All addresses of the net are taken. */
int rule_net_full(const struct tsw_prefix *net);
/* An endpoint would have N addresses, with one from each net. */
int rule_addresses(__u32 n);

/* Fails if nobody can be behind an endpoint by one of the networks. */
int rule_prefixes(const struct tsw_prefix_list *list);
/* PREFIX overlaps TEXT, which is WHAT, such as "prefix", of OWNER, from rule_owner_text(). */
int rule_prefix_taken(const struct tsw_prefix *prefix, const char *tenant, const char *what,
		      const char *text, const char *owner);
/* PREFIX may only be a part of each of the tenant's N own networks NET. */
int rule_prefix_own(const struct tsw_prefix *prefix, const struct tsw_prefix *net, __u32 n);
/* PREFIX overlaps NETWORK of a peer. */
int rule_prefix_peer(const struct tsw_prefix *prefix, const struct tsw_prefix *network,
		     const char *peer);

/* The endpoint is to move to PLACE, where it lives already. */
int rule_moves_nowhere(const char *name, const char *place);
/* The MAC of a moving endpoint is to become WANT. */
int rule_moving_mac(const char *name, const struct tsw_mac *old, const struct tsw_mac *want);

/* ---- gateways, published ports, peerings ------------------------------------------ */

/* The gateway is to be deleted without force. */
int rule_gateway_del(__u64 published, __u64 halves);
/* NETWORK overlaps ITS of another tenant, quoted as TENANT; both tenants are without NAT. */
int rule_routed(const struct tsw_prefix *network, const struct tsw_prefix *its, const char *tenant);

enum rule_owner { OWNER_NOBODY, OWNER_GATEWAY, OWNER_ENDPOINT };

/* A published port leads to ADDR of OWNER. The tenant's gateway has the N addresses IP. */
int rule_target(const char *tenant, const struct tsw_addr *addr, enum rule_owner owner,
		const struct tsw_prefix *ip, __u32 n);

/* One tenant of a peering: the networks of its gateway, and those that it gives to the other. */
struct rule_side {
	const char *tenant;
	const struct tsw_prefix *ip, *given; /* without GIVEN it gives all of IP */
	__u32 n_ip, n_given;
};

int rule_peer_networks(const struct rule_side *of, const struct rule_side *with);
int rule_peer_differs(const char *tenant, const char *with);

/* ---- policies --------------------------------------------------------------------- */

/* N groups are to be added to a tenant that has HAS of them. */
int rule_groups(const char *tenant, __u64 has, const struct tsw_name *name, size_t n);
/* The endpoint or the policy uses the group that is to be deleted. */
int rule_group_member(const char *endpoint);
int rule_group_named(const char *policy);

/* The tenant has the maximum of rules or networks. */
int rule_policies_full(const char *tenant);
int rule_cidrs_full(const char *tenant);
/* With CIDR too many networks would contain one another. */
int rule_cidrs_deep(const struct tsw_prefix *cidr);

#endif
