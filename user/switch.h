/* SPDX-License-Identifier: GPL-2.0-only */
/* The switch itself: up and down. */
#ifndef TSW_SWITCH_H
#define TSW_SWITCH_H

#include "tsw.h"
#include "words.h"

int switch_up(struct tsw *t, const struct words *w);
int switch_down(struct tsw *t);

#endif
