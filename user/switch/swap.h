/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts the programs and maps that `switch upgrade` has prepared in place. Each link and filter is
 * changed in place, so no frame finds a hook without a program. A kill at any point leaves old and
 * new programs side by side, and the next command that writes completes it.
 */
#ifndef TSW_SWAP_H
#define TSW_SWAP_H

#include "store/tsw.h"

/* Does nothing if nothing is prepared. Only T->config has been read. */
int swap_finish(struct tsw *t);

/* After an error: restores the old programs, if no map was replaced. */
int swap_undo(struct tsw *t);

#endif
