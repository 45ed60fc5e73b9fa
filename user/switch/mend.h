/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_MEND_H
#define TSW_MEND_H

#include "store/tsw.h"

/*
 * After a killed command: a pending endpoint gets what its record says, and entries
 * that belong to no endpoint go. Leaves counts and broadcast rings to settle().
 */
int mend(struct tsw *t);

#endif
