/* SPDX-License-Identifier: GPL-2.0-only */
/* The devices that the own endpoints of a state need, and which of them are missing. */
#ifndef TSW_STATE_MISSING_H
#define TSW_STATE_MISSING_H

#include "state/devices.h"
#include "state/state.h"
#include "store/tsw.h"

/* Sets each own endpoint's device index. Returns how many devices are missing. */
size_t state_find_devices(struct state *s, const struct devices *d);

/* -ENODEV, with a message that names them. */
int state_refuse_missing(const struct state *s, size_t missing);

/*
 * Removes endpoints without a device, and ports published to them, from the state. Writes a note
 * for each.
 */
int state_leave_out_missing(const struct tsw *t, struct state *s);

/*
 * Waits at most SECONDS for the own endpoints' devices. UNDERLAY: also for those of the underlay.
 * *MISSING: how many still do not exist.
 */
int state_wait_devices(const struct state *s, bool underlay, __u32 seconds, size_t *missing);

/* Gives own endpoints of S without a device the name that the older state KNOWN has for it. */
void state_know_devices(struct state *s, const struct state *known);

#endif
