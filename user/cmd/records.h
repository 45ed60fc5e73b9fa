/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands with -c share. */
#ifndef TSW_CMD_RECORDS_H
#define TSW_CMD_RECORDS_H

#include "backend/backend.h"
#include "cli/cli.h"

/* -w is for etcd, too; without waiting it has as long as an answer takes. */
unsigned int records_wait_ms(const struct cli *cli);

/* The cluster's, opened by the first command that asks for them. */
int records_begin(struct cli *cli, struct records **r);

/* The cluster's records with -c, otherwise the switch, which is open. */
int backend_begin(struct cli *cli, struct backend *b);

/*
 * Prints a list, which is taken, where ERR, which is returned, is 0: nothing of it is out before
 * nothing can fail. REFUSED: records that are none of their kind, and were left out.
 */
int records_show(struct cli *cli, json_t *list, size_t refused, int err);

#endif
