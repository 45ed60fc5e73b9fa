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

/* Says how many records were left out, because tsw did not write them. */
void records_note_refused(const struct cli *cli, size_t n);

#endif
