/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_BATCH_H
#define TSW_BATCH_H

#include "cli/cli.h"

/*
 * Runs a file of commands, one a line; `-` is standard input. All lines are read and checked before
 * the first one runs. With -f it continues after errors. Reports the errors and returns the exit
 * status.
 */
int batch_run(struct cli *cli, const char *file);

#endif
