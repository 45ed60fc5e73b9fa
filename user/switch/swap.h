/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `switch upgrade` has made ready takes the place of programs and maps: each link and filter
 * is changed in place, so that no frame finds a hook without a program. A kill at any point leaves
 * old and new programs side by side, and the next command that changes the switch completes it.
 */
#ifndef TSW_SWAP_H
#define TSW_SWAP_H

#include "store/tsw.h"

/* Where there is something ready; else nothing. T->config has been read, nothing else. */
int swap_finish(struct tsw *t);

/* After an error: the programs before, as far as no map was replaced. */
int swap_undo(struct tsw *t);

#endif
