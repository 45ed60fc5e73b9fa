/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recovers maps and programs whose pins were removed. An attached or pinned program holds all maps
 * (loader.c binds them), and is known by these as this switch's.
 */
#ifndef TSW_MAPS_HELD_H
#define TSW_MAPS_HELD_H

#include <jansson.h>

#include "store/tsw.h"

/* Appends missing pins. *MAPS counts those of maps, without which no other command works. */
int held_check(const struct tsw *t, json_t *problems, unsigned int *maps);

/*
 * Pins again the maps and programs that the kernel still has, and loads programs that it lacks.
 * -ENOENT: a map or the whole switch is lost.
 */
int held_mend(struct tsw *t);

/* Only pins again. */
int held_pin(struct tsw *t);

#endif
