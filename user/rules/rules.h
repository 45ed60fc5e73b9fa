/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is refused, and in which words. A switch and a cluster's records refuse the same: each looks
 * up what it has in its own way, and asks here. A rule reads neither maps nor records. It returns
 * 0, or the negative error number with the message set.
 */
#ifndef TSW_RULES_H
#define TSW_RULES_H

#include <tsw/object.h>

/* How an object is asked for. */
enum spec_how {
	SPEC_ADD, /* it is not there; one that was never finished is finished */
	SPEC_PUT, /* as it is asked for and no otherwise, there or not */
	SPEC_SET, /* it is there, and keeps what is not given */
};

/* ---- what is there, and what is not: each refuses ---------------------------------- */

/* -ENOENT: there is no WHAT of that name; the tenant has none. */
int rule_missing(const char *what, const char *name);
int rule_lacks(const char *tenant, const char *what, const char *name);
int rule_no_gateway(const char *tenant);
int rule_no_peer(const char *tenant, const char *with);
int rule_no_publish(const char *tenant, const struct tsw_publish_spec *spec);

/* -EEXIST. WHAT is with its article. */
int rule_has(const char *tenant, const char *what, const char *name);
int rule_has_gateway(const char *tenant, const struct tsw_prefix *ip);
int rule_tenant_exists(const char *name, __u32 id);
int rule_host_exists(const char *name, const struct tsw_addr *ip);
int rule_is_peer(const char *tenant, const char *with);
int rule_is_published(const char *tenant, const struct tsw_publish_spec *spec);

int rule_id_taken(__u32 id, const char *tenant);
/* WHAT is "address" or "MAC"; OWNER by rule_owner_text(), or "" where it is not known. */
int rule_taken(const char *tenant, const char *what, const char *text, const char *owner);
/* ENDPOINT NULL: the gateway. */
const char *rule_owner_text(const char *endpoint);

/* -ENOTUNIQ: both tenants have such an endpoint, and none was said. */
int rule_ambiguous(const char *tenant, const char *other, const char *name);

/* ---- tenants ---------------------------------------------------------------------- */

/* What refers to an object, and keeps it as it is. */
struct rule_uses {
	__u64 endpoints;
	bool policy; /* groups or rules */
	bool gateway;
};

/* Without force. */
int rule_tenant_del(const struct rule_uses *uses);
/* It has the id OLD, and another is asked for. */
int rule_renumber(__u32 old, const struct rule_uses *uses);

/* MOST: with its encapsulation. */
int rule_tenant_id(__u32 id, __u32 most);
/* LIMIT: what the underlay allows with its encapsulation; 0: not known. */
int rule_mtu(const struct tsw_tenant_spec *spec, __u32 limit);
/* MTU 0: not known. */
int rule_burst(const struct tsw_limits *limits, __u32 mtu);

/* ---- hosts and endpoints ---------------------------------------------------------- */

int rule_host_del(__u64 endpoints);
/* It is a host of the tenant's gateway, the FIRST or a backup. */
int rule_host_serves(const char *tenant, bool first);

/* The tenant has no net to take an address from; OPTION says where: "-c " or "". */
int rule_no_net(const char *tenant, const char *option);
/* All of it is taken. */
int rule_net_full(const struct tsw_prefix *net);
/* It would have so many addresses, with one of each net. */
int rule_addresses(__u32 n);

/* It lives at PLACE. */
int rule_moves_nowhere(const char *name, const char *place);
/* It moves. */
int rule_moving_mac(const char *name, const struct tsw_mac *old, const struct tsw_mac *want);

/* ---- gateways, published ports, peerings ------------------------------------------ */

/* Without force. */
int rule_gateway_del(__u64 published, __u64 halves);
/* Both tenants are without NAT; the one quoted in TENANT has ITS. */
int rule_routed(const struct tsw_prefix *network, const struct tsw_prefix *its, const char *tenant);

enum rule_owner { OWNER_NOBODY, OWNER_GATEWAY, OWNER_ENDPOINT };

/* ADDR has that owner in the tenant, whose gateway has the N addresses IP. */
int rule_target(const char *tenant, const struct tsw_addr *addr, enum rule_owner owner,
		const struct tsw_prefix *ip, __u32 n);

/* One tenant of two: what its gateway has, and of that what it gives the other. */
struct rule_side {
	const char *tenant;
	const struct tsw_prefix *ip, *given; /* without GIVEN all of it */
	__u32 n_ip, n_given;
};

int rule_peer_networks(const struct rule_side *of, const struct rule_side *with);
int rule_peer_differs(const char *tenant, const char *with);

/* ---- policies --------------------------------------------------------------------- */

/* Each is given once, and there is room for them beside the HAS that there are. */
int rule_groups(const char *tenant, __u64 has, const struct tsw_name *name, size_t n);
/* It uses the group that is to go. */
int rule_group_member(const char *endpoint);
int rule_group_named(const char *policy);

/* It has as many as there can be. */
int rule_policies_full(const char *tenant);
int rule_cidrs_full(const char *tenant);
/* With this one too many are within one another. */
int rule_cidrs_deep(const struct tsw_prefix *cidr);

#endif
