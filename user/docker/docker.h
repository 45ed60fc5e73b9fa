/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tsw-docker: a remote network driver and remote IPAM driver for Docker's daemon. A process serves
 * one call: JSON in, JSON out.
 */
#ifndef TSW_DOCKER_H
#define TSW_DOCKER_H

#include <net/if.h>
#include <stdbool.h>

#include <jansson.h>

#include <tsw/object.h>

#include "plug/device.h"
#include "plug/given.h"
#include "plug/offer.h"
#include "plug/tenancy.h"
#include "plug/world.h"

#define DOCKER_SPACE "tsw" /* the only address space; a pool belongs to a tenant */

/* The user's options: for a network by -o, for a container's interface by --driver-opt. */
struct docker_options {
	struct tsw_name instance, tenant;
	__u32 mtu;		       /* 0: the tenant's */
	struct tsw_endpoint_spec spec; /* name, rates, OFFER_FIELDS */
	__u64 given;		       /* FIELD() of endpoint_fields */
	enum device_kind device;
	struct offers offers;
};

/* What a file keeps of a network from CreateNetwork to DeleteNetwork. */
struct docker_network {
	const char *id;
	bool ipv4, ipv6; /* containers get addresses of that family */
	struct docker_options options;
};

/* The names of what is made for an endpoint, by which it is found again: see names.c. */
struct docker_names {
	char network[24]; /* prefix of all endpoints of this network */
	char alias[32];	  /* prefix of all aliases of its devices */
	char own_alias[128];
	char dev_network[9];	  /* prefix of all names of its devices */
	char dev[IFNAMSIZ];	  /* the host's end */
	char inside[IFNAMSIZ];	  /* the container's end, before Docker moves it there */
	struct tsw_name endpoint; /* empty without an endpoint's id */
};

/* BODY is the call's, or NULL if it needs none. *ANSWER is {} unless it is set. */
typedef int docker_call(const json_t *body, json_t **answer);

/* ---- options.c -------------------------------------------------------------------- */

/*
 * Options of `-o` and of `--ipam-opt`, which must name the tenant; and of `--driver-opt`, which
 * override the network's in O, and have Docker's own keys among them.
 */
enum docker_of { DOCKER_NETWORK = 1, DOCKER_ENDPOINT = 2, DOCKER_POOL = 4 };
int docker_options_read(const json_t *values, enum docker_of of, struct docker_options *o);

/* ---- names.c ---------------------------------------------------------------------- */

/* Reads NetworkID and, if ENDPOINT is not NULL, EndpointID of BODY. */
int docker_ids(const json_t *body, const char **network, const char **endpoint);
void docker_name(const char *network, const char *endpoint, struct docker_names *names);

/* Where a name that was given to the endpoint is kept. */
struct given docker_given(const struct docker_names *names);

/* ---- network_file.c --------------------------------------------------------------- */

const char *docker_directory(void);
/* Tells other commands of this switch where it is, if it is not where they look. */
void docker_tell_directory(const char *instance);

/* Saves OPTIONS as they were given; ignores those of N. */
int docker_network_save(const struct docker_network *n, const json_t *options);

/* -ENOENT: there is no such file. */
int docker_network_load(const char *network, struct docker_network *n);
int docker_network_forget(const char *network);

/* ---- context.c -------------------------------------------------------------------- */

/* What a call is about: its network, the names, the switch or cluster, and the endpoint. */
struct docker_context {
	struct docker_network n;
	struct docker_names names;
	struct given given; /* the endpoint's name */
	struct world w;
	struct tenancy tenancy;
	struct dress dress; /* addresses that Docker knows, each with its gateway */
};

/*
 * Opens it by the ids of BODY, which names an endpoint unless OF is DOCKER_NETWORK. LAST: also if
 * the network's file is gone; then there is no tenant. Call docker_context_close() also if this
 * fails.
 */
int docker_context_open(const json_t *body, enum docker_of of, bool last, struct docker_context *p);
void docker_context_close(struct docker_context *p);

/* Loads the endpoint, which must exist, into P->tenancy and P->dress. */
int docker_context_load(struct docker_context *p);

/* ---- ipam.c ----------------------------------------------------------------------- */

/* Chooses P->dress: an address of each family that the network has and the tenant has a net of. */
int docker_choose(struct docker_context *p);

/* ---- overlap.c -------------------------------------------------------------------- */

/* Would Docker accept NET as a pool of our choice? If not it asks again at once: see overlap.c. */
int docker_check_overlap(const struct tsw_prefix *net);

/* ---- ports.c ---------------------------------------------------------------------- */

/*
 * Checks the form of the ports in a call's OPTIONS. Docker names a container's ports to each of its
 * networks, and opens them where its default route is. So only docker_open_ports() needs a gateway.
 */
int docker_check_ports(const json_t *options);

/* Writes a line to the journal if the new endpoint has no gateway that could publish the ports. */
void docker_warn_ports(const json_t *options, const struct docker_context *p);

/* ---- server.c --------------------------------------------------------------------- */

/*
 * The routes to the tenant's DNS servers that are not its gateway, for BODY of Join. The caller
 * drops *ROUTES. All such tenants have one address for it, and Docker starts no container with two
 * equal routes. So only the first of a container's networks has one.
 */
int docker_server_routes(const struct docker_context *p, const json_t *body, json_t **routes);

/* ---- calls ------------------------------------------------------------------------ */

docker_call docker_check_gateway, docker_create_network, docker_delete_network;
docker_call docker_create_endpoint, docker_delete_endpoint, docker_info, docker_join;
docker_call docker_open_ports, docker_close_ports;
docker_call docker_request_pool, docker_request_address;

#endif
