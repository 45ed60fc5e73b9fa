/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recovers maps and programs whose pins were removed. An attached or pinned program keeps all maps
 * alive, because loader.c binds them to it. Its maps also show which switch it belongs to.
 */
#ifndef TSW_MAPS_HELD_H
#define TSW_MAPS_HELD_H

#include <jansson.h>

#include "store/tsw.h"

/* Appends a problem for each missing pin. *MAPS: how many maps lack one. No command works then. */
int held_check(const struct tsw *t, json_t *problems, unsigned int *maps);

/*
 * Pins the maps and programs again that the kernel still has, and loads programs that it has lost.
 * -ENOENT: a map or the whole switch is lost.
 */
int held_mend(struct tsw *t);

/* The same without loading programs. */
int held_pin(struct tsw *t);

#endif
