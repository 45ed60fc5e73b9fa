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

/* Whether an endpoint is missing that a plugin of a container runtime makes anew. */
bool state_lacks_remade(const struct state *s);

/*
 * Endpoints whose devices may come later, and ports published to them. They are in the state's
 * lists, behind those that the lists' numbers count.
 */
struct state_late {
	size_t endpoints, publishes;
};

/*
 * Removes endpoints without a device, and ports published to them, from the state. Writes a note
 * for each, or one for all that plugins make anew. LATE not NULL: keeps those that may come.
 */
int state_leave_out_missing(const struct tsw *t, struct state *s, struct state_late *late);

/*
 * Waits for the devices of own endpoints from index FROM to END, which is excluded, and with
 * UNDERLAY for those of the underlay. ENOUGH, UNTIL: as in devices_wait().
 */
int state_wait(const struct state *s, bool underlay, size_t from, size_t end, size_t enough,
	       __u64 until);

/* Takes late endpoints whose device is there, and their ports, into the state's lists. */
int state_take_late(struct state *s, struct state_late *late);

/* Writes a note for each late endpoint and port that did not come, and empties LATE. */
void state_give_up_late(const struct tsw *t, const struct state *s, struct state_late *late);

/* Gives own endpoints of S without a device the name that the older state KNOWN has for it. */
void state_know_devices(struct state *s, const struct state *known);

#endif
