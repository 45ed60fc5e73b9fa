/* SPDX-License-Identifier: GPL-2.0-only */
/* Another key for this host, without loss: both are known to the others for a while. */
#ifndef TSW_REKEY_H
#define TSW_REKEY_H

#include <jansson.h>

#include "store/tsw.h"

/*
 * Makes the new key, or goes on where another call has ended: once each host has shaken hands with
 * the new one, frames are sent by it. WAIT: so many seconds at most for that; FORCE: not for all.
 * RESULT gets {"key", "state", "missing"}; state is `waiting`, `used`, or `done` where the old one is
 * gone, too. The switch need not be open, and is not locked while it waits.
 */
int switch_rekey(struct tsw *t, __u32 wait, bool force, json_t **result);

#endif
