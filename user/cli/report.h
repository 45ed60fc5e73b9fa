/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_REPORT_H
#define TSW_REPORT_H

#include "cli/cli.h"

/* Prints the failure that is set. WHERE may be NULL; ARGV is the request. */
void report(struct cli *cli, const char *where, int argc, char **argv);

#endif
