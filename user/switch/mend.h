/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_MEND_H
#define TSW_MEND_H

#include "store/tsw.h"

/*
 * After a killed command: completes pending endpoints as their records say, and removes entries
 * without an owner. Leaves counts and broadcast rings to settle().
 */
int mend(struct tsw *t);

#endif
