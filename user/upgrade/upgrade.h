/* SPDX-License-Identifier: GPL-2.0-only */
/* `switch upgrade`: this binary's programs and map layout for a switch that is up. */
#ifndef TSW_UPGRADE_H
#define TSW_UPGRADE_H

#include <jansson.h>

#include "store/tsw.h"

int switch_upgrade(struct tsw *t);

/* A dry run. Would it be NEEDED, with which new maps? */
int switch_upgrade_look(struct tsw *t, bool *needed, bool made[MAP_COUNT]);

/* Does the switch have other programs than this binary? */
bool switch_is_outdated(const struct tsw *t);

/* Adds a warning in that case. */
void upgrade_warn(const struct tsw *t, json_t *warnings);

#endif
