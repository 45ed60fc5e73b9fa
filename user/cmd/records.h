/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the commands with -c. */
#ifndef TSW_CMD_RECORDS_H
#define TSW_CMD_RECORDS_H

#include "backend/backend.h"
#include "cli/cli.h"

/* The wait of -w, which holds for etcd, too; at least the time that an answer takes. */
unsigned int records_wait_ms(const struct cli *cli);

/* The records of the cluster, opened by the first command that needs them. */
int records_begin(struct cli *cli, struct records **r);

/* With -c the cluster's records, otherwise the open switch. */
int backend_begin(struct cli *cli, struct backend *b);

/* Notes how many records were left out because tsw did not write them. */
void records_note_refused(const struct cli *cli, size_t n);

#endif
