/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares an endpoint with what its container has at the other end of its device. */
#ifndef TSW_CONTAINER_H
#define TSW_CONTAINER_H

#include <jansson.h>

#include "kernel/inside.h"
#include "kernel/link.h"
#include "record/endpoint_find.h"

struct container {
	const struct tsw *t;
	const struct endpoint *ep;
	const struct tsw_tenant *tenant;
	const struct tsw_gateway *gw; /* of the tenant; NULL: it has none */
	__u32 mtu;		      /* of the tenant's endpoints; 0: not known */
	struct link dev, end;	      /* the host's end, and the container's */
};

/* Reads both ends; -ENODEV: the device is gone, or no pair. */
int container_read(struct container *c, __u32 ifindex);

/* The id of the namespace that its other end is in, or INSIDE_OWN. */
__s32 container_nsid(const struct link *dev);

/* Whether the frames are made elsewhere, so that addresses and routes there say nothing. */
bool container_is_passage(const struct container *c);

/*
 * Appends {"what", "object", "detail"} to FOUND, for what would keep frames from it or to it. Returns
 * whether its addresses are there, so that its routes are of interest.
 */
bool container_judge(const struct container *c, struct mnl_socket *socket, json_t *found);
/* The same, and also judges its default routes. */
void container_judge_all(const struct container *c, struct mnl_socket *socket, json_t *found);

struct container_way {
	struct tsw_addr to;
	bool beyond;  /* behind the tenant's gateway */
	bool by_port; /* it has to go by this device */
};

/* Appends what is wrong with the container's own routing to an address. */
void container_judge_way(const struct container *c, struct mnl_socket *socket,
			 const struct container_way *way, json_t *found);

#endif
