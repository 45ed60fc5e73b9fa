/* SPDX-License-Identifier: GPL-2.0-only */
/* --dry-run: what a command would change, without changing it. */
#ifndef TSW_DRY_RUN_H
#define TSW_DRY_RUN_H

#include "backend/backend.h"
#include "cli/command.h"

/*
 * The backend of a dry run: it changes the state in memory, checks it as apply does, and prints the
 * changes as diff does. The lines of a batch see what the lines before them have changed there.
 */
int dry_backend(struct cli *cli, struct backend *b);

/* Dry-runs a command that changes more than objects. 1: it has no dry run. */
int dry_run_other(struct cli *cli, const struct command *c, const struct words *w);

/* Appends to LIST that each object of the switch is deleted. */
int dry_objects_gone(struct cli *cli, json_t *list);

/* Refuses two lines of a batch of which one would not see what the other changes. */
int dry_alone(void);

void dry_free(struct cli *cli);

#endif
