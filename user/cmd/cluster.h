/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands about a cluster have in common. */
#ifndef TSW_CMD_CLUSTER_H
#define TSW_CMD_CLUSTER_H

#include "cli/cli.h"
#include "cluster/member.h"

/* Whoever waits for etcd keeps nobody from the switch. */
int cluster_check_lock(const struct cli *cli);

/* The cluster that this switch is a member of, and its store. *E is the caller's to close. */
int cluster_open(const struct cli *cli, struct member *m, struct etcd **e);

/*
 * Where this switch is a member of a cluster: its record has its keys from now on. The switch is
 * open, or was.
 */
void cluster_tell_own(struct cli *cli);

#endif
