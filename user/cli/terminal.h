/* SPDX-License-Identifier: GPL-2.0-only */
/* What only a terminal gets: colour, and a line that tells that a command still works. */
#ifndef TSW_TERMINAL_H
#define TSW_TERMINAL_H

#include <stdio.h>

enum colour { COLOUR_NONE, COLOUR_GOOD, COLOUR_DOUBTFUL, COLOUR_BAD };

/*
 * The escape sequence that begins this colour on F, and with COLOUR_NONE ends it. It is empty where
 * F is no terminal, the terminal is dumb, or the environment has NO_COLOR (no-color.org). So the
 * text must say the same without colour.
 */
const char *colour(FILE *f, enum colour c);

/*
 * Until progress_end() a line on the terminal tells WHAT and since when, from the first second on.
 * Does nothing unless standard output and standard error are terminals.
 */
void progress_begin(const char *what);

/* Of a batch: how many of its lines are done. Shows again what progress_wait() has removed. */
void progress_count(unsigned long done, unsigned long of);

/* Removes the line for now, since something else is to be printed on standard error. */
void progress_clear(void);

/* Removes the line, since the command begins to print: it may be more than stdio keeps. */
void progress_wait(void);

void progress_end(void);

#endif
