/* SPDX-License-Identifier: GPL-2.0-only */
/* Graphviz' language DOT: text that is safe in it, and colours. */
#ifndef TSW_TOOLS_GRAPH_DOT_H
#define TSW_TOOLS_GRAPH_DOT_H

#include <stddef.h>

#include <linux/types.h>

/*
 * TEXT for a label between "": DOT shows it literally. Cut to ROOM. Returns OUT.
 */
const char *dot_escape(const char *text, char *out, size_t room);

/* The same in one of two buffers, which are used in turn. */
const char *dot_label(const char *text);

/*
 * Sets SLOT[i], the number of a colour, for each of N ids in ascending order. It depends only on
 * the id and smaller ids. No two are the same as long as there are colours.
 */
void dot_colours(const __u32 *ids, size_t n, unsigned char *slot);

enum { DOT_COLOURS = 20 };

/* "#rrggbb", light enough for black text. */
const char *dot_colour(unsigned char slot);

#endif
