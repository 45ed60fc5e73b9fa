/* SPDX-License-Identifier: GPL-2.0-only */
/* The switch itself: up, down, and what can change while it is up. */
#ifndef TSW_SWITCH_H
#define TSW_SWITCH_H

#include "tsw.h"
#include "words.h"

int switch_up(struct tsw *t, const struct words *w);
int switch_down(struct tsw *t);

/* What a kill, or somebody else, took from a switch that is up is put back. */
int switch_mend(struct tsw *t);

/* Takes what is new, before it drops what is old; a refused change leaves all as it was. */
int switch_set(struct tsw *t, const struct words *w);

#endif
