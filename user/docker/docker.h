/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tsw-docker: what Docker's daemon asks of a remote network driver and of a remote IPAM driver. One
 * call a process: JSON in, JSON out.
 */
#ifndef TSW_DOCKER_H
#define TSW_DOCKER_H

#include <net/if.h>
#include <stdbool.h>

#include <jansson.h>

#include <tsw/object.h>

#include "plug/device.h"
#include "plug/given.h"
#include "plug/groups.h"
#include "plug/tenancy.h"
#include "plug/world.h"

#define DOCKER_SPACE "tsw" /* of addresses: the pool says which tenant */

/* What the user says of a network by -o, and of a container's interface by --driver-opt. */
struct docker_options {
	struct tsw_name instance, tenant;
	__u32 mtu;		       /* 0: the tenant's */
	struct tsw_endpoint_spec spec; /* name, rates, groups */
	__u64 given;		       /* FIELD() of endpoint_fields */
	enum device_kind device;
	struct groups_rule choice;
};

/* What is kept of a network from CreateNetwork to DeleteNetwork. */
struct docker_network {
	const char *id;
	bool ipv4, ipv6; /* Docker gives containers addresses of that family */
	struct docker_options options;
};

/* What is made for an endpoint, and by what it is found again: see names.c. */
struct docker_names {
	char network[24]; /* what all endpoints of this network begin with */
	char alias[32];	  /* what all aliases of its devices begin with */
	char own_alias[128];
	char dev_network[9];	  /* what all names of its devices begin with */
	char dev[IFNAMSIZ];	  /* the host's end */
	char inside[IFNAMSIZ];	  /* the container's, before it is moved there */
	struct tsw_name endpoint; /* empty without an endpoint's id */
};

/* SAID is the call's body, NULL where it may have none; *ANSWER is {} unless it is set. */
typedef int docker_call(const json_t *said, json_t **answer);

/* ---- options.c -------------------------------------------------------------------- */

/* VALUES: of `-o`; the tenant must be there. */
int docker_network_options(const json_t *values, struct docker_options *o);

/* VALUES: of `--driver-opt`, among keys of Docker's own: they go before the network's. */
int docker_endpoint_options(const json_t *values, struct docker_options *o);

/* VALUES: of `--ipam-opt`. */
int docker_pool_options(const json_t *values, struct docker_options *o);

/* ---- names.c ---------------------------------------------------------------------- */

/* NetworkID and, with an ENDPOINT, EndpointID of SAID; ENDPOINT may be NULL. */
int docker_ids(const json_t *said, const char **network, const char **endpoint);
void docker_name(const char *network, const char *endpoint, struct docker_names *names);

/* Where a name of their endpoint is kept that was given. */
struct given docker_given(const struct docker_names *names);

/* ---- kept.c ----------------------------------------------------------------------- */

const char *docker_directory(void);

/* OPTIONS as they were given; those of N are not looked at. */
int docker_keep(const struct docker_network *n, const json_t *options);

/* -ENOENT: there is none. */
int docker_kept(const char *network, struct docker_network *n);
int docker_forget(const char *network);

/* ---- place.c ---------------------------------------------------------------------- */

/* Where a call is about: its network, the names, the switch or cluster; an endpoint, and how. */
struct docker_place {
	struct docker_network n;
	struct docker_names names;
	struct given given; /* how the endpoint is called */
	struct world w;
	struct tenancy tenancy;
	struct dress dress; /* addresses that Docker knows, each with the gateway for it */
};

/* By the ids of SAID; docker_leave() follows whether or not this fails. */
int docker_enter(const json_t *said, bool endpoint, struct docker_place *p);

/* The same where the network may be forgotten already: then it is of no tenant. */
int docker_enter_last(const json_t *said, bool endpoint, struct docker_place *p);
void docker_leave(struct docker_place *p);

/* The endpoint, which is there, into P->tenancy and P->dress. */
int docker_look(struct docker_place *p);

/* ---- ipam.c ----------------------------------------------------------------------- */

/* Addresses for P->dress, one of each family that the network has and the tenant a net of. */
int docker_choose(struct docker_place *p);

/* ---- overlap.c -------------------------------------------------------------------- */

/* What a Docker that named no pool takes NET for a free one; else it asks again at once. */
int docker_check_overlap(const struct tsw_prefix *net);

/* ---- ports.c ---------------------------------------------------------------------- */

/* OPTIONS: of a call; what they publish can be published. */
int docker_check_ports(const json_t *options, const struct tenancy *tenancy);

/* ---- calls ------------------------------------------------------------------------ */

docker_call docker_check_gateway, docker_create_network, docker_delete_network;
docker_call docker_create_endpoint, docker_delete_endpoint, docker_info, docker_join;
docker_call docker_open_ports, docker_close_ports;
docker_call docker_request_pool, docker_request_address;

#endif
