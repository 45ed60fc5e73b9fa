/* SPDX-License-Identifier: GPL-2.0-only */
/* Devices that the own endpoints of a state need, and those that are not there. */
#ifndef TSW_STATE_MISSING_H
#define TSW_STATE_MISSING_H

#include "state/devices.h"
#include "state/state.h"
#include "store/tsw.h"

/* Gives each own endpoint its device's index; how many have none. */
size_t state_find_devices(struct state *s, const struct devices *d);

/* -ENODEV and which. */
int state_refuse_missing(const struct state *s, size_t missing);

/* These endpoints leave the state, and ports that are published to them; each is told of. */
int state_leave_out_missing(const struct tsw *t, struct state *s);

/* Waits for all, and for the underlay's where UNDERLAY; *MISSING: how many did not come. */
int state_wait_devices(const struct state *s, bool underlay, __u32 seconds, size_t *missing);

/* Own endpoints of S without a device get the name that KNOWN, of an earlier time, has for them. */
void state_know_devices(struct state *s, const struct state *known);

#endif
