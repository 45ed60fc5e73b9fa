/* SPDX-License-Identifier: GPL-2.0-only */
/* The switch itself: up, down, and what can change while it is up. */
#ifndef TSW_SWITCH_H
#define TSW_SWITCH_H

#include "store/tsw.h"
#include "store/switch_fields.h"

int switch_up(struct tsw *t, const struct tsw_switch_spec *w);
int switch_down(struct tsw *t);

/*
 * What a kill, or somebody else, took from a switch that is up is put back. NAMED: the underlay's
 * devices were given by name just now; else one that only has the index of one of them is left.
 */
int switch_mend(struct tsw *t, bool named);

/* Takes what is new, before it drops what is old; a refused change leaves all as it was. */
int switch_set(struct tsw *t, const struct tsw_switch_spec *w);

#endif
