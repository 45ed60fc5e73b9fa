/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_STATE_SAVE_H
#define TSW_STATE_SAVE_H

#include <stdbool.h>
#include <stdio.h>

#include "state/state.h"

/*
 * Prints the file that state_read_file() reads: one line for each host, tenant, endpoint,
 * peering, in an order that does not change, so that two files can be compared by diff too.
 * Whether FILE took all of it is the caller's to see.
 */
int state_save(FILE *file, const struct state *s, bool pretty);

#endif
