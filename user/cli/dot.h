/* SPDX-License-Identifier: GPL-2.0-only */
/* Graphviz' language DOT: text that is safe in it, and colours. */
#ifndef TSW_DOT_H
#define TSW_DOT_H

#include <stddef.h>

#include <linux/types.h>

/*
 * TEXT for a label between "": shown as it is, with no escape, entity or newline of DOT's in it;
 * cut if it is too long. Returns OUT.
 */
const char *dot_escape(const char *text, char *out, size_t room);

/*
 * SLOT[i] for each of N ids in ascending order: a colour's number. It depends on the id, and on
 * smaller ids alone; no two have the same as long as there are colours.
 */
void dot_colours(const __u32 *ids, size_t n, unsigned char *slot);

enum { DOT_COLOURS = 20 };

/* "#rrggbb", light enough for black writing. */
const char *dot_colour(unsigned char slot);

#endif
