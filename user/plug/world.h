/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What plug-ins do with the switch, or with the cluster that it is a member of. In a cluster they
 * change records, which this host's switch follows.
 */
#ifndef TSW_PLUG_WORLD_H
#define TSW_PLUG_WORLD_H

#include <stdbool.h>

#include <tsw/object.h>

#include "cluster/record.h"
#include "plug/away.h"
#include "plug/device.h"
#include "plug/tenancy.h"
#include "store/tsw.h"
#include "switch/session.h"

/* Longest waits for the lock: to change (many calls may come at once), and to read. */
enum { WORLD_CHANGE_MS = 30000, WORLD_ASK_MS = 5000 };

struct world {
	struct tsw t;
	struct records *r; /* NULL: the switch is in no cluster */
	struct away away;  /* whether etcd has answered */
};

#define WORLD_CLOSED            \
	{                       \
		.t = TSW_CLOSED \
	}

int world_open(struct world *w, const char *instance, __u32 wait_ms);
void world_close(struct world *w);

/* -ENOENT: no such tenant. The switch must be up. */
int world_tenant(struct world *w, const struct tsw_name *name, struct tenancy *tenancy);

/* Checks that the tenant has all groups of LIST. -ENOENT: one is missing. */
int world_groups(struct world *w, const struct tenancy *tenancy, const struct tsw_group_list *list);

/* Adds an endpoint. GIVEN: FIELD() of endpoint_fields. GOT also has the values that were chosen. */
int world_add(struct world *w, const struct tsw_endpoint_spec *spec, __u64 given,
	      struct tsw_endpoint_spec *got);

/* Reads it from this host's switch. TENANT empty: any. -ENOENT: no endpoint, or no switch is up. */
int world_get(struct world *w, const struct tsw_name *tenant, const struct tsw_name *name,
	      struct tsw_endpoint_spec *got);

/* An endpoint's device on this host, because another endpoint may have its name by now. */
struct world_device {
	const char *dev;
	__u32 ifindex; /* when the endpoint was made; identifies it if the device is gone */
};

/*
 * Deletes an endpoint of this host and its published ports. An endpoint that does not exist is no
 * error. AT NULL: no other endpoint can have the name.
 */
int world_del(struct world *w, const struct tsw_name *tenant, const struct tsw_name *name,
	      const struct world_device *at);

/* Lists this host's endpoints whose names BEGIN so. The caller frees LIST->at. */
struct name_list {
	struct tsw_name *at;
	size_t n;
};
int world_names(struct world *w, const char *begin, struct name_list *list);

/* Publishes SPEC's port, to DRESS's first address of each family that has a gateway. */
int world_publish(struct world *w, const struct tsw_name *tenant,
		  const struct tsw_publish_spec *spec, const struct dress *dress);

/* Withdraws only the endpoint's published ports. */
int world_unpublish(struct world *w, const struct tsw_name *tenant, const struct tsw_name *name,
		    const struct world_device *at);

/* Keeps ADDR, or if that is zero a free address, of the tenant's NET: see cluster_reserve(). */
int world_reserve(struct world *w, const struct tsw_name *tenant, const struct tsw_prefix *net,
		  struct tsw_addr *addr);

/* Checks that the switch is up, and that etcd answers. */
int world_answers(struct world *w);

#endif
