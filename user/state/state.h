/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole state of a switch in memory, read from a file (read.h) or from the maps (load.h).
 * diff.h compares two states. One state can describe all hosts of a cluster; `own` is the host that
 * this process runs for. Members that refer to hosts or tenants are indices in the state's lists.
 */
#ifndef TSW_STATE_H
#define TSW_STATE_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

#include <tsw/object.h>

#include "record/limits.h"

enum { STATE_FORMAT = 1 };
#define STATE_NONE (~0U) /* as an index: none */

struct state_host {
	struct tsw_host_spec spec;
	__u32 at; /* its place in the file's list, for messages */
	struct tsw_switch_spec up;
};

struct state_gateway {
	struct tsw_gateway_spec spec; /* without its hosts, which are below */
	bool pending;
	__u32 host; /* the first rank; STATE_NONE: each host serves its own */
	__u32 n_backups;
	__u32 backup[TSW_GATEWAY_RANKS - 1];
};

struct state_tenant {
	struct tsw_tenant_spec spec;
	__u32 at;
	bool has_gateway;
	struct state_gateway gateway;
	size_t first; /* index of its first endpoint */
	size_t n;     /* of its endpoints */
};

struct state_endpoint {
	struct tsw_name name;
	__u32 tenant;
	__u32 at; /* its place in its tenant's list */
	struct tsw_mac mac;
	bool pending;
	__u32 options; /* TSW_ENDPOINT_*, see endpoint_options() */
	__u32 host;
	__u32 to;	       /* the host that it moves to, or STATE_NONE */
	char dev[IFNAMSIZ];    /* on the own host, which is `host` or `to`; "": unknown */
	__u32 ifindex;	       /* of that device; 0: it does not exist */
	char to_dev[IFNAMSIZ]; /* only without an own host: on `to`, while `dev` is on `host` */
	struct tsw_limits limits;
	size_t first_ip; /* in `ip` of the state */
	__u32 n_ip;
	struct tsw_vip_list vip;
	__u32 macs;
	struct tsw_prefix_list prefix;
	size_t first_group; /* in `member` of the state */
	__u32 n_groups;
};

struct state_group {
	struct tsw_name name;
	__u32 tenant;
	__u32 at; /* its place in its tenant's list */
};

struct state_policy {
	struct tsw_policy_spec spec;
	__u32 tenant;
	__u32 at; /* its place in its tenant's list */
};

struct state_publish {
	struct tsw_publish_spec spec; /* without its host, which is below */
	bool pending;
	__u32 tenant;
	__u32 host; /* STATE_NONE: each host publishes it */
	__u32 at;   /* its place in its tenant's list */
};

struct state_peer {
	__u32 tenant;
	__u32 with;
	__u32 at;
	struct tsw_peer_spec spec; /* without its tenants, which are above */
	bool pending;
};

/* Sorted: hosts and tenants by name, the other lists by tenant first. */
struct state {
	struct state_host *host;
	size_t n_hosts;
	struct state_tenant *tenant;
	size_t n_tenants;
	struct state_endpoint *endpoint;
	size_t n_endpoints;
	struct tsw_addr *ip;
	size_t n_ips;
	struct state_publish *publish;
	size_t n_publishes;
	struct state_peer *peer;
	size_t n_peers;
	struct state_group *group;
	size_t n_groups;
	struct state_policy *policy;
	size_t n_policies;
	struct tsw_name *member; /* names of the groups that endpoints are in */
	size_t n_members;
	__u32 own;    /* index of this host; STATE_NONE: not known yet */
	bool liberal; /* the file has tcp_liberal of tsw 0.2, which is ignored */
	bool whole;   /* a cluster's state: of all hosts, without `own` */
};

void state_free(struct state *s);

#define cleanup_state __attribute__((cleanup(state_free)))

/* Sorts hosts or tenants, before other objects refer to them. */
void state_sort_hosts(struct state *s);
void state_sort_tenants(struct state *s);
/* Sorts the other lists, and sets `first` and `n` of each tenant. */
void state_sort_rest(struct state *s);

/* As qsort(3) asks for: by tenant and name. */
int state_compare_groups(const void *a, const void *b);
int state_compare_policies(const void *a, const void *b);

/* Find by name in the sorted list. STATE_NONE: not found. */
__u32 state_find_host(const struct state *s, const char *name);
__u32 state_find_tenant(const struct state *s, const char *name);

/* Orders published ports by protocol, port and family: < 0, 0 or > 0. */
int state_order_ports(const struct tsw_publish_spec *a, const struct tsw_publish_spec *b);

bool state_has_ip(const struct state *s, const struct state_endpoint *ep,
		  const struct tsw_addr *ip);

/* Whether the endpoint moves to the own host. */
bool state_comes(const struct state *s, const struct state_endpoint *ep);
/* Whether the endpoint lives on the own host, or moves there. */
bool state_is_own(const struct state *s, const struct state_endpoint *ep);

#endif
