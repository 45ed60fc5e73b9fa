/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The switch, or the cluster whose member it is: in the one endpoints are made, in the other their
 * records, which this host's switch follows.
 */
#ifndef TSW_PLUG_WORLD_H
#define TSW_PLUG_WORLD_H

#include <stdbool.h>

#include <tsw/object.h>

#include "cluster/record.h"
#include "plug/device.h"
#include "plug/tenancy.h"
#include "store/tsw.h"
#include "switch/session.h"

/* For the lock, and for the store: as long as many pods at once may take; and who only asks. */
enum { WORLD_CHANGE_MS = 30000, WORLD_ASK_MS = 5000 };

struct world {
	struct tsw t;
	struct records *r; /* NULL: of no cluster */
};

#define WORLD_CLOSED            \
	{                       \
		.t = TSW_CLOSED \
	}

int world_open(struct world *w, const char *instance, __u32 wait_ms);
void world_close(struct world *w);

/* -ENOENT: no such tenant. The switch must be up. */
int world_tenant(struct world *w, const struct tsw_name *name, struct tenancy *tenancy);

/* -ENOENT: it has not all of them. */
int world_groups(struct world *w, const struct tenancy *tenancy, const struct tsw_group_list *list);

/* GIVEN: FIELD() of endpoint_fields. GOT: with what was chosen. */
int world_add(struct world *w, const struct tsw_endpoint_spec *spec, __u64 given,
	      struct tsw_endpoint_spec *got);

/* As this host's switch has it. TENANT may be empty. -ENOENT: it has not, or the switch is down. */
int world_get(struct world *w, const struct tsw_name *tenant, const struct tsw_name *name,
	      struct tsw_endpoint_spec *got);

/* Of a name that may be another's by now: the one that has this device of this host. */
struct world_device {
	const char *dev;
	__u32 ifindex; /* that it had: tells where it is gone */
};

/* With its published ports. One that is not there, or not here, is no error. AT may be NULL. */
int world_del(struct world *w, const struct tsw_name *tenant, const struct tsw_name *name,
	      const struct world_device *at);

/* Those of this host whose names begin so; to be freed. */
struct name_list {
	struct tsw_name *at;
	size_t n;
};
int world_names(struct world *w, const char *begin, struct name_list *list);

/* SPEC's port, to the first address of each family that has a gateway in its network. */
int world_publish(struct world *w, const struct tsw_name *tenant,
		  const struct tsw_publish_spec *spec, const struct dress *dress);

/* Its published ports alone. */
int world_unpublish(struct world *w, const struct tsw_name *tenant, const struct tsw_name *name,
		    const struct world_device *at);

/* See auto_reserve() and cluster_reserve(): NET is the tenant's, ADDR a host's in it or zero. */
int world_reserve(struct world *w, const struct tsw_name *tenant, const struct tsw_prefix *net,
		  struct tsw_addr *addr);

/* The switch is up, and the store answers. */
int world_answers(struct world *w);

#endif
