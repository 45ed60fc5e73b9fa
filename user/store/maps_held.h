/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps and programs whose pins somebody took away. A program that is attached, or pinned, holds
 * all maps (loader.c binds them), and by these it is known as this switch's.
 */
#ifndef TSW_MAPS_HELD_H
#define TSW_MAPS_HELD_H

#include <jansson.h>

#include "store/tsw.h"

/* Appends the pins that are missing. *MAPS: so many are maps, without which nothing else works. */
int held_check(const struct tsw *t, json_t *problems, unsigned int *maps);

/*
 * Pins again what the kernel still has, and loads programs that it has not; where nothing is
 * missing, nothing is done. -ENOENT: a map is gone for good, or all of the switch.
 */
int held_mend(struct tsw *t);

/* Only the former. */
int held_pin(struct tsw *t);

#endif
