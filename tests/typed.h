/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_TESTS_TYPED_H
#define TSW_TESTS_TYPED_H

#include "cli/command.h"

/* Reads a line of less than 512 octets as a command. The words last until the next call. */
int typed(const char *text, const struct command **command, struct words *words);

/* Such a line is a misuse, and the message has WHY in it. */
void assert_refused(const char *text, const char *why);

#endif
