/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands about a cluster have in common. */
#ifndef TSW_CMD_CLUSTER_H
#define TSW_CMD_CLUSTER_H

#include "cli/cli.h"
#include "cluster/member.h"
#include "cluster/record.h"

/* -EBUSY: the command would hold the switch's lock while it waits for etcd. */
int cluster_check_lock(const struct cli *cli);

/* Opens the store of the cluster that this switch belongs to. The caller closes *E. */
int cluster_open(const struct cli *cli, struct member *m, struct etcd **e);

/* Adds etcd's members. Asks each by itself, with a short timeout, because some may be silent. */
int cluster_members(const struct cli *cli, const struct member *m, json_t *list);

/*
 * Writes the keys of this switch into its record, if it is a member of a cluster. The switch is
 * open, or was. KEYS: for a dry run, those that it would have.
 */
struct own_keys;
void cluster_tell_own(struct cli *cli, const struct own_keys *keys);

/* Adds the orphans among this host's records to PROBLEMS; none if no switch is up here. */
int orphans_check(struct cli *cli, const struct records *r, json_t *problems);

/* Adds a problem for each living host that does not answer another one. Waits a second at most. */
void cluster_check_reached(const struct records *r, json_t *problems);

#endif
