/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_STATE_LOAD_H
#define TSW_STATE_LOAD_H

#include "state/devices.h"
#include "state/state.h"
#include "store/tsw.h"

/*
 * Reads the state of the open switch from the maps, each once and as a whole. Objects that a killed
 * command left half made are marked pending.
 */
int state_load(const struct tsw *t, const struct devices *devices, struct state *s);

/* The words of `switch up` that a switch with this configuration was given, without CLOSED. */
struct tsw_switch_spec state_switch_spec(const struct tsw_config *c, const struct tsw_crypt *crypt,
					 const struct devices *d);

#endif
