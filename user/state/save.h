/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_STATE_SAVE_H
#define TSW_STATE_SAVE_H

#include <stdbool.h>
#include <stdio.h>

#include "state/state.h"

/*
 * Prints the file that state_read_file() reads: one line for each host, tenant, endpoint and
 * peering, always in the same order, so that diff can compare two files. The caller checks FILE for
 * write errors.
 */
int state_save(FILE *file, const struct state *s, bool pretty);

#endif
