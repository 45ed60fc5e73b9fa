/* SPDX-License-Identifier: GPL-2.0-only */
/* `show` of every object, of this host's switch or, with -c, of a cluster's records. */
#ifndef TSW_CMD_SHOW_H
#define TSW_CMD_SHOW_H

#include "backend/backend.h"
#include "cli/cli.h"
#include "cli/words.h"
#include "record/counters.h"

struct show {
	struct cli *cli;
	const struct words *w; /* what is asked for; empty names stand for all */
	struct records *r;     /* the cluster's; NULL: the switch is shown */
	json_t *list;	       /* items that are not printed yet */
	size_t refused;	       /* records that tsw did not write, and that are left out */
};

/*
 * Each adds the items that the words ask for. The members of an item come from the object's table
 * of fields; a switch adds what its maps alone have.
 */
int show_hosts(struct show *s);
int show_tenants(struct show *s);
int show_groups(struct show *s);
int show_endpoints(struct show *s);
int show_gateways(struct show *s);
int show_publishes(struct show *s);
int show_peers(struct show *s);
int show_policies(struct show *s);

/* *SHOWN: all that `switch show` prints; to be freed also after an error. */
int show_switch_settings(struct tsw *t, json_t **shown);

/* Adds all that `switch check` prints, the agent's part too, also after an error. */
int check_all(struct cli *cli, json_t *problems, json_t *warnings);

/* Adds an endpoint of the cluster, as a cluster_each_endpoint. */
int show_endpoint(void *show, const struct tsw_endpoint_spec *spec);

/* Adds an item, which begins with the tenant's name, and has the fields in MASK. */
json_t *show_of_tenant(struct show *s, const char *tenant, const struct field *fields, __u64 mask,
		       const void *spec);

/* Prints the items so far: for lists that are too long to be kept in memory. */
void show_print(struct show *s);

/* Sorts the items by the values of these keys, up to NULL. */
int show_sort(struct show *s, const char *const *keys);

/* Calls EACH for the tenant that is named, or for all by name. */
int show_each_tenant(struct show *s, void *context,
		     int (*each)(struct show *s, void *context, const struct tenant_row *row));

#endif
