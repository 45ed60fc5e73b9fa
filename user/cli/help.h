/* SPDX-License-Identifier: GPL-2.0-only */
/* What the command says of itself. */
#ifndef TSW_HELP_H
#define TSW_HELP_H

#include <stdio.h>

#include "cli/command.h"

/*
 * The command with words that it takes, as an example, such as `tenant add red id 100`. One buffer,
 * used again.
 */
const char *help_example(const struct command *c);

/* Prints help if the words ask for it at any level. Returns whether they do. */
bool help_asked(struct cli *cli, int argc, char **argv);

/*
 * For the option -h: prints the help of the command that the words begin with, or of its object.
 * Refuses an unknown object.
 */
int help_of(struct cli *cli, int argc, char **argv);

/* Prints ten lines for somebody who typed no command. */
void help_brief(FILE *f);

#endif
