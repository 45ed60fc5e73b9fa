/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the command that words name: shortened, or by another name of its verb. */
#ifndef TSW_FIND_H
#define TSW_FIND_H

#include "cli/command.h"

/* The object that WORD names, whole or by a beginning that no other object has; or NULL. */
const char *find_object(const char *word);

/* The command of the words, or NULL; *WORDS is how many words name it. */
const struct command *find_command(int argc, char **argv, int *words);

/* Refuses words for which find_command() found nothing. There is at least one. */
int misuse_unknown(int argc, char **argv);

#endif
