/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands with -c share. */
#ifndef TSW_CMD_RECORDS_H
#define TSW_CMD_RECORDS_H

#include "cli/cli.h"
#include "cluster/record.h"

/* -w is for etcd, too; without waiting it has as long as an answer takes. */
unsigned int records_wait_ms(const struct cli *cli);

/* The cluster's, opened by the first command that asks for them. */
int records_begin(struct cli *cli, struct records **r);

/* A list, which is taken, once nothing can fail any more. */
void records_print(struct cli *cli, json_t *list);

/* Records that are none of their kind were left out. */
void records_tell_refused(struct cli *cli, size_t refused);

#endif
