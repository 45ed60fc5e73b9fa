/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_CMD_ORPHANS_H
#define TSW_CMD_ORPHANS_H

#include "cli/cli.h"
#include "cluster/orphans.h"

/* Adds the orphans among this host's records to PROBLEMS; none if no switch is up here. */
int orphans_check(struct cli *cli, const struct records *r, json_t *problems);

#endif
