/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_STATE_LOAD_H
#define TSW_STATE_LOAD_H

#include "state/devices.h"
#include "state/state.h"
#include "store/tsw.h"

/*
 * The state of the switch that is open. Each map is read once, as a whole. What a killed command
 * left is in it, marked pending.
 */
int state_load(const struct tsw *t, const struct devices *devices, struct state *s);

#endif
