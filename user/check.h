/* SPDX-License-Identifier: GPL-2.0-only */
/* Is everything there that the maps say, and if not, put it back. */
#ifndef TSW_CHECK_H
#define TSW_CHECK_H

#include <jansson.h>

#include "tsw.h"

/* Appends what is wrong, see problem.h. Changes nothing. */
int switch_check(struct tsw *t, json_t *problems);

/* Puts back all that switch_check() finds. */
int switch_repair(struct tsw *t);

#endif
